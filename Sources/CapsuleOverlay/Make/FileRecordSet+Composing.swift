import CapsuleCore
import CapsulePropertyList

extension FileRecordSet {
    /// Returns records that do what these records and then others do, with the contents that must be assembled for them.
    ///
    /// - Throws: `unsupported` if the others expect a state that these do not leave; `limit` for a content of too many segments.
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
                // If one record undoes the other, nothing is left. If both only check a state, the check stays.
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
                // Not reached: the case of a first record alone comes before.
                first.removeFirst()
            }
        }
    }

    /// Throws if, between the two sets of records, an entry would have to exist in something that is not a directory.
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

extension FileRecord {
    package var inverted: FileRecord { FileRecord(path: path, old: new, new: old) }

    /// The part of the old state that the record changes but does not give; nil if there is none.
    var unsaidOld: String? {
        guard let old else { return nil }
        guard let new, new.kind == old.kind else { return old.kind == .file && old.content == nil ? "content" : nil }
        if new.content != nil, old.content == nil { return "content" }
        if new.mode != nil, old.mode == nil { return "mode" }
        return new.attributes != nil && old.attributes == nil ? "attributes" : nil
    }

    /// One record for two of the same path, with the contents that must be assembled for it.
    struct ComposedRecord {
        var record: FileRecord
        /// The assembly of the old and of the new content, if its recipe has no digest yet or if it was not carried whole.
        var oldContent: ComposedContent?
        var newContent: ComposedContent?
    }

    /// Returns one record for this record followed by another one of the same path. A part that one of them does not give is taken
    /// from the other.
    func joined(with next: FileRecord) throws(OverlayError) -> ComposedRecord {
        guard Self.agree(new, next.old, isKept: old?.kind == new?.kind ? old : nil) else {
            func words(_ state: FileState?) -> String { state?.description ?? "nothing" }
            throw OverlayError(
                .unsupported,
                "\(PlistString(path.description).quoted): the first overlay leaves \(words(new)), but the second expects \(words(next.old))"
            )
        }
        var joined = ComposedRecord(record: FileRecord(path: path, old: old, new: next.new))
        // If an entry is kept by both records, a part that only one of them gives is as that one says.
        let isKeptFirst = old != nil && old?.kind == new?.kind
        let isKeptNext = next.new != nil && next.old?.kind == next.new?.kind
        if isKeptFirst {
            if old?.mode == nil, new?.mode == nil { joined.record.old?.mode = next.old?.mode }
            if old?.attributes == nil, new?.attributes == nil { joined.record.old?.attributes = next.old?.attributes }
        }
        if isKeptNext {
            joined.record.new?.mode = next.new?.mode ?? new?.mode
            joined.record.new?.attributes = next.new?.attributes ?? new?.attributes
            joined.record.new?.modified = next.new?.modified ?? new?.modified
        }
        let newContent = try Self.content(self, next)
        joined.record.new?.content = newContent.said
        joined.newContent = newContent.assembled
        if old?.content != nil || new?.content == nil {
            let oldContent = try Self.content(next.inverted, inverted)
            joined.record.old?.content = oldContent.said
            joined.oldContent = oldContent.assembled
        }
        return joined
    }

    /// Returns true if the state that one record leaves is the state that another expects, in all parts that both give.
    ///
    /// - Parameter isKept: the state before, if the entry is kept. A part that is not given afterwards is as it was before.
    private static func agree(_ made: FileState?, _ wanted: FileState?, isKept before: FileState?) -> Bool {
        guard let made, let wanted else { return made == nil && wanted == nil }
        guard made.kind == wanted.kind, made.target == wanted.target else { return false }
        if let one = made.mode ?? before?.mode, let other = wanted.mode, one != other { return false }
        if let one = made.attributes ?? before?.attributes, let other = wanted.attributes, one != other { return false }
        if let one = made.content ?? before?.content, let other = wanted.content, !one.isSame(as: other) { return false }
        return true
    }

    /// Returns the content after two records, and its assembly if its bytes are not carried as they are needed.
    private static func content(
        _ first: FileRecord, _ next: FileRecord
    ) throws(OverlayError) -> (said: FileState.Content?, assembled: ComposedContent?) {
        guard let new = next.new, new.kind == .file else { return (nil, nil) }
        guard let content = new.content else { return (next.old?.kind == .file ? first.new?.content : nil, nil) }
        // The content is the original one again, so it is kept.
        if let old = first.old?.content, old.isSame(as: content) {
            return (FileState.Content(size: content.size, digest: content.digest), nil)
        }
        if let middle = next.old?.content, middle.isSame(as: content), next.old?.kind == .file {
            return (first.new?.content ?? FileState.Content(size: content.size, digest: content.digest), nil)
        }
        guard content.recipe != nil, let middle = next.old?.content else { return (content, nil) }
        guard let made = first.new?.content, first.old?.content.map(made.isSame) != true else {
            guard first.old?.kind == .file else {
                throw OverlayError(
                    .unsupported,
                    "\(PlistString(next.path.description).quoted): one overlay copies from this file, but the other does not record the bytes it writes"
                )
            }
            return (content, nil)
        }
        var middleContent = made
        middleContent.size = middle.size
        let composed = try ComposedContent(content).replacingCopied(by: ComposedContent(middleContent))
        guard !composed.isWhole else { return (FileState.Content(size: content.size, digest: content.digest), composed) }
        var result = content
        let carried = composed.carried
        if carried.count == 1, case .carried(let digest, let size) = carried[0].source, carried[0].range == 0..<size {
            result.recipe = ContentRecipe(pieces: composed.pieces, carried: digest)
            return (result, nil)
        }
        result.recipe = ContentRecipe(pieces: composed.pieces, carried: .zero)
        return (result, composed)
    }
}

extension FileState.Content {
    func isSame(as other: FileState.Content) -> Bool { size == other.size && digest == other.digest }
}
