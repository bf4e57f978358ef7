import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// Formats the results of the use cases, for people or for machines.
protocol Reporter: Sendable {
    func packed(_ outcome: Packer.Outcome) -> [UInt8]
    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8]
    /// Returns the text before all entries of a listing.
    func listingStart(as argument: [UInt8]) -> [UInt8]
    /// Returns the lines for some of the entries, in order. It is called on any thread.
    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool) -> [UInt8]
    /// Returns the text after all entries.
    func listingEnd(entries: UInt64) -> [UInt8]
    func unpacked(_ outcome: UnpackOutcome) -> [UInt8]
    /// Returns the report of `apply` on a property list.
    ///
    /// - Parameters:
    ///   - output: the file with the result, if the change was not made in place.
    ///   - changes: the changes that would be made, if they were requested.
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8]
    /// Returns the report of a command that changed a container.
    ///
    /// - Parameter style: the format of the changes, if they were requested.
    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8]
    func compared(_ outcome: PlistFileDiffer.Outcome, as arguments: (old: [UInt8], new: [UInt8]), isFull: Bool) -> [UInt8]
    /// Returns the report of a comparison of containers.
    ///
    /// - Parameter result: the result of the expectation, if the diff was checked against one.
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8]
    /// Returns the report of a merge.
    ///
    /// - Parameters:
    ///   - isListed: true to list the conflicts.
    ///   - hasSummary: true to add a summary of the result.
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8]
    /// Returns the report of `overlay check`.
    ///
    /// - Parameter carried: the content of the overlay, completely read.
    func checked(_ overlay: OverlayInspection, _ carried: OverlayInspection.Payload, as argument: [UInt8]) -> [UInt8]
    func shown(_ overlay: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8]
    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8]
    /// Returns the report of `plist lint`.
    ///
    /// - Parameter error: the reason why the file is not valid, if `file` is nil.
    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8]
    /// Returns the report of `locate`.
    ///
    /// - Parameter printsPathOnly: true if one identifier was given, so that only its path is printed.
    func located(_ containers: [LocatedContainer], in devices: HostPath, printsPathOnly: Bool) -> [UInt8]
    /// Returns the state of the git integration.
    ///
    /// - Parameter isChange: true for a command that installs or uninstalls it.
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8]
    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8]
    /// Returns the report of an edit of a property list.
    ///
    /// - Parameters:
    ///   - output: the file with the result, if the change was not made in place.
    ///   - notes: notes on types that changed.
    func edited(_ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]) -> [UInt8]
    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8]
    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8]
    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8]
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8]
    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8]
}
