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

/// The level of detail of a diff.
struct DiffStyle: Sendable {
    /// True to show long values in full.
    var isFull = false
    /// True to list noise line by line, instead of only counting it.
    var showsNoise = false
}

/// The use of color and bold type in output.
enum Styling {
    /// Returns true if output is styled: as `--color` says, and with `auto` on a terminal without NO_COLOR (no-color.org).
    static func isOn(_ choice: ColorChoice, isTerminal: Bool) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isTerminal && (HostProcess.environment("NO_COLOR") ?? []).isEmpty
        }
    }
}

/// Formats numbers for people.
enum Quantity {
    /// `1,234,567`
    static func grouped(_ value: UInt64) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `128.4 MB`: powers of 1,000, as in file browsers.
    static func bytes(_ value: UInt64) -> String {
        if value < 1_000 { return value == 1 ? "1 byte" : "\(value) bytes" }
        var scaled = Double(value) / 1_000
        var unit = 0
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        while scaled >= 999.95, unit + 1 < units.count {
            scaled /= 1_000
            unit += 1
        }
        let tenths = UInt64((scaled * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `12 s`, `3 min 5 s`, `2 h 10 min`
    static func time(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "unknown time" }
        let whole = UInt64(max(0, seconds).rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// `99.9 %`: never 100 unless it is complete.
    static func share(_ share: Double) -> String {
        guard share < 1 else { return "100 %" }
        let tenths = UInt64((max(0, share) * 1_000).rounded(.down))
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// `1 entry`, `2 entries`
    static func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
        "\(grouped(count)) \(count == 1 ? one : many)"
    }

    /// `2 changes`; `at least 2 changes` if there may be more.
    static func changes(_ count: Int, isExact: Bool) -> String {
        (isExact ? "" : "at least ") + counted(UInt64(count), "change", "changes")
    }
}
