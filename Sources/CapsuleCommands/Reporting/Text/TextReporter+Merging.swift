import CapsuleCore
import CapsuleEngine
import CapsuleMerge
import CapsulePropertyList

extension TextReporter {
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8] {
        let conflicts = outcome.document.conflicts
        var report: [UInt8] = []
        if isListed { for conflict in conflicts { report += line(of: conflict) } }
        guard hasSummary else { return report }
        let counted = conflicts.isEmpty ? "" : ", \(Quantity.counted(UInt64(conflicts.count), "conflict", "conflicts"))"
        let open = outcome.openCount
        let state =
            open == 0
            ? styled("merged", 32) + counted + (conflicts.isEmpty ? "" : ", all resolved")
            : styled("\(Quantity.counted(UInt64(open), "open conflict", "open conflicts"))", 31)
                + (open < conflicts.count ? " of \(conflicts.count)" : "")
        guard let output = outcome.output else { return report + text("\(state): the result was not written\n") }
        return report + name(output.bytes) + text(open == 0 ? ": \(state)\n" : ": written with \(state)\n")
    }

    /// `conflict 1: value Info.plist /Key: both changed: base 1, ours 2, theirs 3` A side without a value is omitted: the reason
    /// names it.
    private func line(of conflict: Conflict) -> [UInt8] {
        var line = text(styled("conflict \(conflict.id)", conflict.resolution == nil ? 31 : 33) + ": \(conflict.kind.rawValue)")
        if let path = conflict.path { line += text(" ") + name(path.bytes) }
        var place = ""
        if let pointer = conflict.pointer { place += " " + PlistChangeText.place(pointer) }
        if let range = conflict.range { place += " " + Self.extent(range, isText: conflict.kind == .text) }
        if let table = conflict.table { place += " \(table)" }
        if let row = conflict.row { place += " " + value(.dictionary(row)) }
        if let column = conflict.column { place += " \(column)" }
        let sides = [("base", conflict.base), ("ours", conflict.ours), ("theirs", conflict.theirs)]
        let separator = conflict.kind.isOfEntries ? "; " : ", "
        let values = sides.compactMap { side, value in
            value.map { conflict.kind.isOfEntries ? "\(side): \(entry($0))" : "\(side) \(self.value($0))" }
        }
        var end = ": \(conflict.reason): \(values.joined(separator: separator))"
        if let resolution = conflict.resolution {
            end += "; takes \(resolution.word)"
            if case .value(let value) = resolution { end += " " + self.value(value) }
            if let reason = conflict.decidedBy { end += ", by --prefer \(reason)" }
        }
        return line + text(QuotedBytes((place + end)).text + "\n")
    }

    /// Returns a range of lines of a text, counted from 1 as in editors, or of elements of an array, counted from 0 as in pointers.
    private static func extent(_ range: Range<Int>, isText: Bool) -> String {
        let (name, first) = isText ? ("line", range.lowerBound + 1) : ("element", range.lowerBound)
        switch range.count {
        case 0: return "before \(name) \(first)"
        case 1: return "\(name) \(first)"
        default: return "\(name)s \(first) to \(first + range.count - 1)"
        }
    }

    /// Returns an entry of one side in a few words, such as `file, mode 0644, 2,535 bytes, f0d5bb73c9ad`.
    private func entry(_ value: PlistValue) -> String {
        guard let facts = value.dictionary, let type = facts["type"]?.string else { return self.value(value) }
        var words = [type.string]
        if let path = facts["path"] { words[0] += " " + self.value(path) }
        if let target = facts["target"] { words[0] += " to " + self.value(target) }
        if let mode = facts["mode"]?.string { words.append("mode \(mode.string)") }
        if let size = facts["size"] { words.append("\(self.value(size)) bytes") }
        if let digest = facts["digest"]?.string { words.append(String(digest.string.prefix(12))) }
        return words.joined(separator: ", ")
    }

    private func value(_ value: PlistValue) -> String { value.line(length: 120, values: 20) }

    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8] {
        states.flatMap { state in
            let remark = isChange && !state.isChanged ? "nothing to change: " : ""
            var report = text("\(state.scope.rawValue): \(remark)\(word(for: state))\n")
            if state.extent != .absent {
                report += text("  attributes: ") + name(state.attributes.bytes) + text("\n")
                if let driver = state.driver { report += text("  driver: \(QuotedBytes(driver).text)\n") }
            }
            return report
        }
    }

    private func word(for state: GitIntegration.State) -> String {
        switch state.extent {
        case .absent: "not installed"
        case .incomplete: styled("partly installed", 33)
        case .outdated:
            styled("outdated", 33)
                + ": 'capsule git install\(state.scope == .global ? " --global" : "")' updates it"
        case .installed: styled("installed", 32)
        }
    }
}

extension Conflict.Kind {
    /// True if each side is an entry of a tree, and not a value.
    fileprivate var isOfEntries: Bool {
        switch self {
        case .contents, .addAdd, .modifyDelete, .renameModify, .renameRename, .fileDirectory: true
        case .value, .sequence, .order, .row, .text, .encoding, .metadata: false
        }
    }
}
