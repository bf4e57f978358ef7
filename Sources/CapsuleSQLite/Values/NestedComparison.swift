import CapsuleCore
import CapsulePropertyList

/// Looks for property lists in blobs and texts that differ.
struct NestedComparison {
    let options: DifferenceOptions
    let external: ExternalLookup
    /// What may be spent: documents take time that SQLite knows nothing of.
    let budget: WorkBudget
    /// What differs in the property lists that both values are; nil if one of them is none.
    ///
    /// - Returns: also whether that is all.
    func changes(_ column: ComparedColumn, _ rows: RowOrder) -> (changes: [PlistChange], isComplete: Bool)? {
        guard column.pair.old >= 0, column.pair.new >= 0, budget.check(),
            let old = document(column, rows.old, column.pair.old, rows.isOldWide, .old),
            let new = document(column, rows.new, column.pair.new, rows.isNewWide, .new),
            let diff = try? PlistDiff(.data(old), .data(new), limit: PlistDiff.changeLimit)
        else { return nil }
        // One change of the data itself says no more than the column does.
        if diff.changes.count == 1, diff.changes[0].pointer == PlistPointer(steps: []) { return nil }
        return (diff.changes, diff.bounds.isEmpty)
    }

    /// The bytes of what seems to be a property list in an encoding that is not anything's.
    private func document(
        _ column: ComparedColumn, _ row: RowValues, _ place: Int32, _ isWide: Bool, _ side: DatabaseSide
    ) -> [UInt8]? {
        switch row.type(place) {
        case .text: return document(row[place].text)
        case .blob:
            let bytes = row[place].bytes(isWide: isWide)
            if column.pair.mayBeExternal {
                if let name = ExternalReference.name(bytes) {
                    guard let file = external(side, name), UInt64(file.head.count) == file.size else { return nil }
                    return file.head.withUnsafeBytes { document($0) }
                }
                if let content = ExternalReference.content(bytes) { return document(content) }
            }
            return document(bytes)
        default: return nil
        }
    }

    private func document(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count <= options.nestedBytes else { return nil }
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: return Array(bytes)
        default: return nil
        }
    }
}
