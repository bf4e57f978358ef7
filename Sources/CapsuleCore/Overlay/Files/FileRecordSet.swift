import CapsulePropertyList

/// Records that go together: each path once, and what a path is to be leaves room for what is to be below it, before and after.
public struct FileRecordSet: Hashable, Sendable {
    /// As many entries as a version of a capsule has (docs/format.md, section 13).
    static let maximumCount = 10_000_000

    /// In the order of their paths' bytes.
    public let records: [FileRecord]

    /// Takes records in any order.
    ///
    /// - Throws: `invalid`, with the place as in a document, `/Files/NUMBER/…`: a record that is not sound by itself
    ///   (``FileRecord/check()``), a path that comes twice, one that is in what is no directory. `limit` for too many.
    public init(_ records: [FileRecord]) throws(OverlayError) {
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

    /// The record of a path; nil if there is none.
    public subscript(_ path: RelativePath) -> FileRecord? {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = low + (high - low) / 2
            if records[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low < records.count && records[low].path == path ? records[low] : nil
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

    /// A record that has something in what is no directory.
    ///
    /// - Parameter records: each path once.
    static func misplaced(
        in records: [FileRecord], _ state: KeyPath<FileRecord, FileState?>
    ) -> (inner: Int, outer: Int)? {
        misplaced(in: records, treewise(records), state)
    }

    /// One look at the nearest record above is enough: that one has been looked at the same way.
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

    /// The places of records, what is in a directory right behind it.
    private static func treewise(_ records: [FileRecord]) -> [Int] {
        records.indices.sorted { one, other in
            let comparison = compareTreewise(records[one].path.bytes, records[other].path.bytes)
            return comparison != 0 ? comparison < 0 : one < other
        }
    }

    static func quoted(_ record: FileRecord) -> String { PlistString(record.path.description).quoted }

    private static func place(_ steps: [PlistString]) -> PlistPointer { PlistPointer(steps: ["Files"] + steps) }

    /// By bytes, but `/` before all else, so that nothing comes between a directory and what is in it.
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
