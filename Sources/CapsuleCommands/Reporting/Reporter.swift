import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

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
    /// - Parameters:
    ///   - output: where the result went, if not in place.
    ///   - changes: what would change, if it was asked for.
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8]
    /// - Parameter style: how changes are told, if that was asked for.
    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8]
    func compared(_ outcome: PlistComparer.Outcome, as arguments: (old: [UInt8], new: [UInt8]), isFull: Bool) -> [UInt8]
    /// - Parameter result: of the expectation that the diff was held against, if it was.
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8]
    /// - Parameter isListed: whether the conflicts themselves are told.
    /// - Parameters:
    ///   - isListed: whether the conflicts are told.
    ///   - hasSummary: whether it is told what came of it.
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8]
    /// - Parameter carried: what it carries, all of it read.
    func checked(_ overlay: OverlayInspection, _ carried: OverlayInspection.Carried, as argument: [UInt8]) -> [UInt8]
    func shown(_ overlay: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8]
    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8]
    /// - Parameter error: why it is none, where there is no file.
    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8]
    /// - Parameter isOfOne: whether one identifier was asked for, and its path is all that is wanted.
    func located(_ containers: [LocatedContainer], in devices: HostPath, isOfOne: Bool) -> [UInt8]
    /// - Parameter isChange: whether anything was to be written.
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8]
    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8]
    /// - Parameters:
    ///   - output: where the result went, if not in place.
    ///   - notes: types that changed.
    func edited(_ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]) -> [UInt8]
    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8]
    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8]
    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8]
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8]
    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8]
}
