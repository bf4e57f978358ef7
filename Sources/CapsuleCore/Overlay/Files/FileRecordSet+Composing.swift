import CapsulePropertyList

extension FileRecordSet {
    /// What these records and then others do, and the contents that have to be assembled for it.
    ///
    /// - Throws: `unsupported` where the others want something else than these make.
    func composed(with next: FileRecordSet) throws(OverlayError) -> (
        records: [FileRecord], contents: [OverlayComposition.Content]
    ) {
        var records: [FileRecord] = []
        var middle: [FileRecord] = []
        var contents: [OverlayComposition.Content] = []
        var (first, second) = (self.records[...], next.records[...])
        while true {
            switch (first.first, second.first) {
            case (nil, nil):
                try Self.checkMiddle(middle)
                try Self.checkOuter(records)
                return (records, contents)
            case (let one?, let other?) where one.path == other.path:
                let joined = try one.joined(with: other)
                middle.append(FileRecord(path: one.path, old: nil, new: one.new))
                first.removeFirst()
                second.removeFirst()
                // Where one changed what the other changes back, nothing is left; where both only looked, that is.
                if joined.record.isGuard, !(one.isGuard && other.isGuard) { continue }
                records.append(joined.record)
                if let content = joined.oldContent { contents.append(.init(path: one.path, isNew: false, content: content)) }
                if let content = joined.newContent { contents.append(.init(path: one.path, isNew: true, content: content)) }
            case (let one?, let other) where other.map({ one.path < $0.path }) ?? true:
                middle.append(FileRecord(path: one.path, old: nil, new: one.new))
                records.append(one)
                first.removeFirst()
            case (_, let other?):
                middle.append(FileRecord(path: other.path, old: nil, new: other.old))
                records.append(other)
                second.removeFirst()
            case (_?, nil):
                // Taken by the case of one alone.
                first.removeFirst()
            }
        }
    }

    /// What the first make has to leave room for what the second want.
    private static func checkMiddle(_ middle: [FileRecord]) throws(OverlayError) {
        guard let found = misplaced(in: middle, \.new) else { return }
        throw contradiction(
            middle[found.inner], middle[found.outer], "between the two overlays \(words(middle[found.outer].new))")
    }

    private static func checkOuter(_ records: [FileRecord]) throws(OverlayError) {
        if let found = misplaced(in: records, \.old) {
            throw contradiction(
                records[found.inner], records[found.outer], "before both overlays \(words(records[found.outer].old))")
        }
        if let found = misplaced(in: records, \.new) {
            throw contradiction(
                records[found.inner], records[found.outer], "after both overlays \(words(records[found.outer].new))")
        }
    }

    private static func words(_ state: FileState?) -> String { state.map { "is a \($0.kind.word)" } ?? "does not exist" }

    private static func contradiction(_ inner: FileRecord, _ outer: FileRecord, _ words: String) -> OverlayError {
        OverlayError(.unsupported, "\(quoted(outer)) \(words), but \(quoted(inner)) is inside it")
    }
}
