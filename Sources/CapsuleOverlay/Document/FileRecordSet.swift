package import CapsuleCore
import CapsulePropertyList

/// Records that fit together: each path occurs once, and an entry inside another one needs a directory there, before and
/// afterwards.
package struct FileRecordSet: Hashable, Sendable {
    /// The maximum number of records: the limit for entries of a version (docs/format.md, section 13).
    static let maximumCount = 10_000_000

    package let records: [FileRecord]

    /// - Throws: `invalid`, with the place as in a document, `/Files/NUMBER/…`, for a record that is inconsistent in itself
    ///   (``FileRecord/check()``), a path that occurs twice, or an entry inside something that is not a directory. `limit` for too
    ///   many records.
    package init(_ records: [FileRecord]) throws(OverlayError) {
        guard records.count <= Self.maximumCount else {
            throw OverlayError(
                .limit, "\(records.count) records are more than the limit of \(Self.maximumCount)", in: Self.place([]))
        }
        for (number, record) in records.enumerated() {
            do throws(OverlayError) {
                try record.check()
            } catch {
                var error = error
                error.source = Self.place([PlistString(String(number))] + (error.source?.steps ?? []))
                throw error
            }
        }
        try Self.checkNesting(of: records)
        self.records = records.sorted { $0.path < $1.path }
    }

    package subscript(_ path: RelativePath) -> FileRecord? {
        let place = records.indexOfFirst(notBefore: { $0.path < path })
        return place < records.count && records[place].path == path ? records[place] : nil
    }

    private static func checkNesting(of records: [FileRecord]) throws(OverlayError) {
        let order = treewise(records)
        for (one, other) in zip(order, order.dropFirst()) where records[one].path == records[other].path {
            throw OverlayError(
                .invalid, "\(quoted(records[one])) is listed twice: records \(one) and \(other) of Files have this Path",
                in: place([PlistString(String(other)), "Path"]), hint: "describe the change in one record")
        }
        for (key, state) in [("New", \.new), ("Old", \.old)] as [(PlistString, KeyPath<FileRecord, FileState?>)] {
            guard let found = misplaced(in: records, order, state) else { continue }
            let what = records[found.outer][keyPath: state].map { "is a \($0.kind.word)" } ?? "does not exist"
            throw OverlayError(
                .invalid,
                "\(quoted(records[found.outer])) \(what) \(key == "New" ? "afterwards" : "before"), but \(quoted(records[found.inner])) is inside it",
                in: place([PlistString(String(found.inner)), key]))
        }
    }

    /// Returns a record of an entry that exists inside something that is not a directory, and the record of that outer path.
    static func misplaced(
        in records: [FileRecord], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        misplaced(in: records, treewise(records), state)
    }

    /// Checks each record only against the nearest record above it, because that one was checked in the same way.
    private static func misplaced(
        in records: [FileRecord], _ order: [Int], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        var above: [Int] = []
        for number in order {
            while let last = above.last, !records[number].path.isAtOrBelow(records[last].path) { above.removeLast() }
            if let last = above.last, records[number][keyPath: state] != nil,
                records[last][keyPath: state]?.kind != .directory
            {
                return (number, last)
            }
            above.append(number)
        }
        return nil
    }

    /// Returns the indices of the records in an order in which the contents of a directory directly follow it.
    private static func treewise(_ records: [FileRecord]) -> [Int] {
        records.indices.sorted { one, other in
            let comparison = compareTreewise(records[one].path.bytes, records[other].path.bytes)
            return comparison != 0 ? comparison < 0 : one < other
        }
    }

    static func quoted(_ record: FileRecord) -> String { PlistString(record.path.description).quoted }
    private static func place(_ steps: [PlistString]) -> PlistPointer { PlistPointer(steps: ["Files"] + steps) }

    /// Compares by bytes, but with `/` before all others, so that nothing comes between a directory and its contents.
    private static func compareTreewise(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    if left[index] == RelativePath.slash { return -1 }
                    if right[index] == RelativePath.slash { return 1 }
                    return left[index] < right[index] ? -1 : 1
                }
                return left.count - right.count
            }
        }
    }
}
