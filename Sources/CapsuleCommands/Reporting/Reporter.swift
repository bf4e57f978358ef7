import CapsuleCore
import CapsuleEngine

/// Says what a use case came to, for people or for machines.
protocol Reporter: Sendable {
    func packed(_ outcome: Packer.Outcome) -> [UInt8]
    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8]
    /// What stands before all entries of a listing.
    func listingStart(as argument: [UInt8]) -> [UInt8]
    /// Some of the entries, in order; any thread may ask.
    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool) -> [UInt8]
    /// What stands behind all entries.
    func listingEnd(entries: UInt64) -> [UInt8]
    func unpacked(_ outcome: UnpackOutcome) -> [UInt8]
    func applied(_ outcome: PlistApplier.Outcome, to argument: [UInt8]) -> [UInt8]
    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8]
}
