import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// The changes of each version of a capsule: a table with a column for each version and a row for each path, and the changes themselves,
/// to which its cells lead.
extension HTMLPageWriter {
    private static let mostPaths = 200
    /// The place of a version on the page: `~3`. No path begins like this.
    private static func anchor(of version: UInt32) -> HTML { "~\(version)" }

    mutating func timeline(of state: ContainerState, limit: Int) {
        guard let history = state.history, !state.versions.isEmpty else { return }
        write("<section class=\"history\"><h2>Versions</h2>\n")
        if state.olderVersions > 0 {
            write(#"<p class="hid">\#(counted(state.olderVersions, "older version is", "older versions are")) not shown.</p>\#n"#)
        }
        for failure in history.failures { write(#"<div class="note warn"><p>\#(line(failure.message))</p></div>\#n"#) }
        // The newest versions have their changes on the page first.
        var rest = max(0, limit / 2)
        var changes: [UInt32: HTML] = [:]
        for change in history.changes where rest > 0 {
            let html = apart { $0.changes(of: change) }
            if html.bytes.count <= rest { changes[change.version] = html }
            rest -= html.bytes.count
        }
        table(state.versions, history, Set(changes.keys))
        for version in state.versions { write(changes[version.number]) }
        let missing = history.changes.count { changes[$0.version] == nil && $0.diff.entries.contains { !$0.isNoise } }
        if missing > 0 {
            write(
                """
                <p class="hid">The changes of \(counted(missing, "version", "versions")) are not on this page. \
                <code>capsule log -p</code> prints them.</p>\n
                """)
        }
        write("</section>\n")
    }

    private mutating func write(_ html: HTML?) { if let html { write(html) } }

    private mutating func table(_ versions: [VersionLog.Version], _ history: VersionHistory, _ linked: Set<UInt32>) {
        let most = versions.map(\.added).max() ?? 0
        let heads: [HTML] = versions.map { version in
            let height = most == 0 ? 0 : max(1, Int(Double(version.added) / Double(most) * 100))
            let captured = version.details.map { $0.captured.iso8601() }
            return """
                <th scope="col"><svg class="grown" role="img" aria-label="adds \(Quantity.bytes(version.added))">\
                <title>adds \(Quantity.bytes(version.added))\(captured.map { ", captured \($0)" })</title>\
                <rect width="100%" height="\(height)%" y="\(100 - height)%"></rect></svg>\
                <b>\(version.number)</b>\(version.labels.first.map { #"<span class="label">\#($0.text)</span>"# })</th>
                """
        }
        var cells: [RelativePath: [UInt32: EntryChange]] = [:]
        for change in history.changes {
            for entry in change.diff.entries where !entry.isNoise { cells[entry.path, default: [:]][change.version] = entry }
        }
        let noise = Set(history.changes.flatMap { $0.diff.entries.filter(\.isNoise).map(\.path) }).subtracting(cells.keys).count
        let paths = cells.keys.sorted { (cells[$1]?.count ?? 0, $0) < (cells[$0]?.count ?? 0, $1) }
        let shown = paths.prefix(Self.mostPaths).sorted()
        write(
            """
            <div class="scroll" role="group" tabindex="0" aria-label="Changes by version"><table class="timeline"><thead><tr>\
            <th scope="col" class="place">Path</th>\(heads)</tr></thead><tbody>\n
            """)
        for path in shown {
            let row: [HTML] = versions.map { version in
                guard let entry = cells[path]?[version.number] else { return "<td></td>" }
                return "<td>\(cell(entry, version.number, isLinked: linked.contains(version.number)))</td>"
            }
            write("<tr><th scope=\"row\" class=\"place\">\(self.path(path.bytes))</th>\(row)</tr>\n")
        }
        if shown.isEmpty {
            write("<tr><td colspan=\"\(versions.count + 1)\" class=\"hid\">No version changed anything but noise.</td></tr>\n")
        }
        write("</tbody></table></div>\n")
        let more = paths.count - shown.count
        if more > 0 || noise > 0 {
            write(
                """
                <p class="hid">\(if: more > 0, "\(counted(more, "more path", "more paths")) with fewer changes. ")\
                \(if: noise > 0, "\(counted(noise, "path has", "paths have")) only noise, which is not shown.")</p>\n
                """)
        }
    }

    /// Returns the number of changes of an entry in a version, or its sign, as a link to the changes.
    private func cell(_ entry: EntryChange, _ version: UInt32, isLinked: Bool) -> HTML {
        let entryClass = EntryClass(entry)
        let changes = entry.details.count { $0.isChange && $0.noise == nil } + entry.unshown.signals
        let text: HTML = entryClass == .modified && changes > 0 ? "\(grouped(changes))" : "\(entryClass.symbol)"
        let meaning: HTML =
            "\(entryClass.word)\(if: changes > 0, ", \(counted(changes, "change", "changes"))") in version \(version)"
        guard isLinked else { return #"<span class="cell c\#(entryClass.letter)" title="\#(meaning)">\#(text)</span>"# }
        return """
            <a class="cell c\(entryClass.letter)" href="#\(Self.anchor(of: version))\(anchor: entry.path.bytes)" title="\(meaning)">\
            \(text)<span class="vh">: \(meaning)</span></a>
            """
    }

    /// Writes the entries that a version changed, as the page of a difference has them.
    private mutating func changes(of change: VersionHistory.Change) {
        let entries = change.diff.entries.filter { !$0.isNoise }
        guard !entries.isEmpty else { return }
        anchors = Self.anchor(of: change.version)
        defer { anchors = "" }
        write(
            """
            <details class="version" id="\(anchors)"><summary><h3>Version \(change.version)</h3>\
            \(change.labels.first.map { #" <span class="label">\#($0.text)</span>"# }) \
            <span class="count">\(counted(entries.count, "entry", "entries")), \(change.captured.iso8601())</span></summary>
            <div class="in">\n
            """)
        for entry in entries { self.entry(entry, name: entry.path.bytes) }
        write("</div></details>\n")
    }
}
