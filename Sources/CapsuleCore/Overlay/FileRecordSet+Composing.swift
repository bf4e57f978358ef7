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

extension FileRecord {
    /// The record that takes this one back.
    public var inverted: FileRecord { FileRecord(path: path, old: new, new: old) }

    /// What is changed and not said of the state before; nil if nothing is.
    var unsaidOld: String? {
        guard let old else { return nil }
        guard let new, new.kind == old.kind else { return old.kind == .file && old.content == nil ? "content" : nil }
        if new.content != nil, old.content == nil { return "content" }
        if new.mode != nil, old.mode == nil { return "mode" }
        return new.attributes != nil && old.attributes == nil ? "attributes" : nil
    }

    /// One record for two of the same path, and what has to be assembled for it.
    struct Joined {
        var record: FileRecord
        /// How its contents are to be put together whose recipe has no digest yet, or which were not carried whole.
        var oldContent: ComposedContent?
        var newContent: ComposedContent?
    }

    /// What this record and then another one do to their path. What one of them does not say, the other one may.
    ///
    /// - Throws: `unsupported` where the next one wants something else than this one makes.
    func joined(with next: FileRecord) throws(OverlayError) -> Joined {
        guard Self.agree(new, next.old, isKept: old?.kind == new?.kind ? old : nil) else {
            func words(_ state: FileState?) -> String { state?.description ?? "nothing" }
            throw OverlayError(
                .unsupported,
                "\(PlistString(path.description).quoted): the first overlay leaves \(words(new)), but the second expects \(words(next.old))"
            )
        }
        var joined = Joined(record: FileRecord(path: path, old: old, new: next.new))
        // What is kept by both, and spoken of by one of them, is as that one says.
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

    /// Whether a state that one record leaves is what another one wants, as far as both say.
    ///
    /// - Parameter isKept: the state before, where the entry stays: what is not said afterwards is as it was.
    private static func agree(_ made: FileState?, _ wanted: FileState?, isKept before: FileState?) -> Bool {
        guard let made, let wanted else { return made == nil && wanted == nil }
        guard made.kind == wanted.kind, made.target == wanted.target else { return false }
        if let one = made.mode ?? before?.mode, let other = wanted.mode, one != other { return false }
        if let one = made.attributes ?? before?.attributes, let other = wanted.attributes, one != other { return false }
        if let one = made.content ?? before?.content, let other = wanted.content, !one.isSame(as: other) { return false }
        return true
    }

    /// The content after two records, and how it is to be assembled if its bytes are not carried as they are wanted.
    private static func content(
        _ first: FileRecord, _ next: FileRecord
    ) throws(OverlayError) -> (said: FileState.Content?, assembled: ComposedContent?) {
        guard let new = next.new, new.kind == .file else { return (nil, nil) }
        guard let content = new.content else { return (next.old?.kind == .file ? first.new?.content : nil, nil) }
        // What is there again is kept.
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
        if case .carried(let digest, let size, 0, let length)? = composed.carried.first, composed.carried.count == 1,
            size == length
        {
            result.recipe = ContentRecipe(pieces: composed.pieces, carried: digest)
            return (result, nil)
        }
        result.recipe = ContentRecipe(pieces: composed.pieces, carried: .zero)
        return (result, composed)
    }
}

extension FileState.Content {
    /// Whether these are the same bytes.
    func isSame(as other: FileState.Content) -> Bool { size == other.size && digest == other.digest }
}
