import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

extension RecordApplication {
    /// What came of a merge.
    enum Merging {
        /// The file is what was merged, or will be as its record is settled, or what conflicts is noted.
        case done
        /// The overlay does not carry what merging needs.
        case uncarried
        /// One of the two has no file there.
        case impossible
    }

    /// Merges what an overlay does to a file with what became of it meanwhile: both come from the file that the overlay was made
    /// for, or from none.
    ///
    /// - Parameter changed: gets the record with the merged mode and attributes, where the content is no question.
    mutating func merge(
        _ record: FileRecord, at place: ContainerEdits.Place, _ changed: inout [FileRecord]
    ) throws(CapsuleError) -> Merging {
        guard let new = record.new, new.kind == .file, record.old.map({ $0.kind == .file }) ?? true, var item = edits[place],
            item.entry.kind == .file
        else { return .impossible }
        let hasKnownContent = [new.content, record.old?.content].contains { $0?.isContent(of: item.entry) == true }
        var contents: ContentMerger.Contents?
        if new.content != nil, !hasKnownContent {
            let present = ComparedContent(try item.open(in: edits.base), size: item.entry.size)
            if try present.isMergeable() {
                guard let theirs = try carried(new) else { return .uncarried }
                var base: ComparedContent?
                if let old = record.old {
                    base = try carried(old)
                    if base == nil { return .uncarried }
                }
                contents = ContentMerger.Contents(base: base?.size == 0 ? nil : base, ours: present, theirs: theirs)
            }
        }
        let areFactsMerged = mergeFacts(of: record, into: &item)
        if let contents {
            try merge(contents, record.path, into: &item)
            settled.insert(record.path)
            edits[place] = item
        } else if new.content != nil, !hasKnownContent {
            conflicts.append(Self.unmerged(record.path, "both changed it"))
        } else if areFactsMerged {
            var record = record
            record.new?.mode = item.entry.mode
            record.new?.attributes = item.entry.attributes
            changed.append(record)
        }
        return .done
    }

    /// Merges the mode and the attributes.
    ///
    /// - Returns: whether they could be; if not, that is noted.
    private mutating func mergeFacts(of record: FileRecord, into item: inout ContainerEdits.Item) -> Bool {
        func known(_ mode: FileMode) -> FileMode { mode.restorable(for: .file) }
        let own = (mode: known(item.entry.mode), attributes: item.entry.attributes)
        // What the record does not say of before may have been as it is now.
        let mode = Self.merged(
            record.old.map { $0.mode.map(known) ?? own.mode }, own.mode, record.new?.mode.map(known) ?? own.mode)
        let attributes = Self.merged(
            record.old.map { $0.attributes ?? own.attributes } ?? [], own.attributes, record.new?.attributes ?? own.attributes)
        guard let mode, let attributes else {
            conflicts.append(
                CapsuleError("both sides changed its mode or attributes", path: HostPath(record.path.bytes)))
            return false
        }
        if mode != own.mode { item.entry.mode = mode }
        item.entry.attributes = attributes
        return true
    }

    /// Of three values the one that is new; nil for two new ones.
    private static func merged<Value: Equatable>(_ base: Value?, _ ours: Value, _ theirs: Value) -> Value? {
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }

    private mutating func merge(
        _ contents: ContentMerger.Contents, _ path: RelativePath, into item: inout ContainerEdits.Item
    ) throws(CapsuleError) {
        var options = MergeOptions(captured: moment)
        options.arrays = context.arrays
        var merger = ContentMerger([], labels: MergeLabels(ours: "", theirs: ""), options)
        var decisions = MergeDecisions()
        let outcome = try merger.merge(contents, path, &decisions)
        for conflict in decisions.conflicts {
            let pointer = conflict.pointer.map { " at \($0.isRoot ? "the root" : $0.description)" } ?? ""
            conflicts.append(
                CapsuleError(
                    "\(conflict.kind.rawValue)\(pointer) was changed both by the overlay and in the target",
                    path: HostPath(path.bytes)
                ))
        }
        switch outcome {
        case .unfit(let reason): conflicts.append(Self.unmerged(path, reason))
        case .made(let number, let size, let digest, _):
            (item.entry.size, item.entry.digest, item.entry.modified) = (size, digest, moment)
            item.source = merger.made[number]
        }
    }

    private static func unmerged(_ path: RelativePath, _ reason: String) -> CapsuleError {
        CapsuleError("can't be merged with the overlay's version: \(reason)", path: HostPath(path.bytes))
    }

    /// A content that the overlay carries whole, with the digest that it is to have; nil for any other.
    private func carried(_ state: FileState) throws(CapsuleError) -> ComparedContent? {
        guard let content = state.content else { return nil }
        if content.size == 0 { return ComparedContent([]) }
        guard content.recipe == nil, content.size <= ComparedContent.longest,
            let file = try package.contents?.open(content.digest, size: content.size)
        else { return nil }
        let whole = ComparedContent(file, size: content.size)
        guard let bytes = try whole.all(), SHA256Hasher.digest(of: bytes) == content.digest else { return nil }
        return whole
    }
}

extension FileState.Content {
    fileprivate func isContent(of entry: TreeEntry) -> Bool { entry.size == size && entry.digest == digest }
}

extension ComparedContent {
    /// Whether it may be merged with another one by what it is.
    fileprivate func isMergeable() throws(CapsuleError) -> Bool {
        let kinds: Set<ContentKind> = [.plist, .json, .text]
        guard size <= Self.longest else { return false }
        return !kinds.isDisjoint(with: ContentKind.candidates(try head(), size: size))
    }
}
