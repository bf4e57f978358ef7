import CapsuleCore
import CapsulePropertyList

/// Looks for property lists in blobs and texts that differ.
struct NestedComparison {
    let options: DifferenceOptions
    let external: ExternalLookup
    /// What may be spent: documents take time that SQLite knows nothing of.
    let budget: WorkBudget

    /// What came of looking for property lists in both values.
    enum Finding {
        /// There are none.
        case none
        /// What differs in them, and whether that is all.
        case changes([PlistChange], isComplete: Bool, NestedGap?)
        /// There is one, and it was not compared.
        case gap(NestedGap)
    }

    /// A value that seems to be a property list in an encoding that is not anything's.
    private struct Document {
        /// All of it; nil where it is too long to be looked into.
        let bytes: [UInt8]?
        /// Whether it begins as nothing but a property list does.
        let isPlist: Bool
    }

    /// Compares the property lists that both values are.
    ///
    /// - Parameter looksInside: whether what differs may be told; if not, only whether there is anything to compare is found.
    func find(_ column: ComparedColumn, _ rows: RowOrder, looksInside: Bool) -> Finding {
        let old = document(column, rows.old, column.pair.old, rows.isOldWide, .old)
        let new = document(column, rows.new, column.pair.new, rows.isNewWide, .new)
        let isOpen = looksInside && budget.check()
        if isOpen, let before = old?.bytes, let after = new?.bytes,
            let diff = try? PlistDiff(.data(before), .data(after), limit: PlistDiff.changeLimit),
            // One change of the data itself says no more than the column does.
            diff.changes.count != 1 || diff.changes[0].pointer != PlistPointer(steps: [])
        {
            return .changes(diff.changes, isComplete: diff.bounds.isEmpty, diff.unresolved.first?.gap)
        }
        switch (old?.isPlist ?? false, new?.isPlist ?? false) {
        case (false, false): return .none
        case (true, true) where isOpen && old?.bytes != nil && new?.bytes != nil: return .gap(.unreadable)
        case (true, true): return .gap(.notKept)
        default: return .gap(looksInside ? .oneSided : .notKept)
        }
    }

    /// What a value may be as a property list; nil if it is none.
    private func document(
        _ column: ComparedColumn, _ row: RowValues, _ place: Int32, _ isWide: Bool, _ side: DatabaseSide
    ) -> Document? {
        guard place >= 0 else { return nil }
        switch row.type(place) {
        case .text: return document(row[place].text)
        case .blob:
            let bytes = row[place].bytes(isWide: isWide)
            if column.pair.mayBeExternal {
                if let name = ExternalReference.name(bytes) {
                    guard let file = external(side, name) else { return nil }
                    return file.head().withUnsafeBytes { document($0, size: file.size) }
                }
                if let content = ExternalReference.content(bytes) { return document(content) }
            }
            return document(bytes)
        default: return nil
        }
    }

    /// - Parameter size: how long the value is that begins with the bytes; nil for one that they are all of.
    private func document(_ bytes: UnsafeRawBufferPointer, size: UInt64? = nil) -> Document? {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(ContentKind.headBytes))
        switch PlistFormat.sniff(head) {
        case .binary, .xml: break
        default: return nil
        }
        let isWhole = bytes.count <= options.nestedBytes && size.map { $0 == UInt64(bytes.count) } ?? true
        return Document(bytes: isWhole ? Array(bytes) : nil, isPlist: ContentKind.isEncodedPlist(Array(head)))
    }
}
