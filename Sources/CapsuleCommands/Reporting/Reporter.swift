import CapsuleCore
import CapsuleEngine

/// Says what a use case came to, for people or for machines.
protocol Reporter {
    func packed(_ outcome: Packer.Outcome) -> [UInt8]
    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8]
    func listed(_ listing: ContainerListing, isLong: Bool, as argument: [UInt8]) -> [UInt8]
    func unpacked(_ outcome: UnpackOutcome) -> [UInt8]
    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8]
}
