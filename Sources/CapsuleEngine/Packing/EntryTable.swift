import CapsuleCore

/// The entries of a pack, shared by its threads without a copy of what may be millions.
///
/// An entry is written only by the taker, once its file is packed, and read by others only before that or after a restart, for
/// which the pipeline's lock stands; so no two threads ever have the same entry at once.
struct EntryTable: RandomAccessCollection, @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<TreeEntry>

    /// Lets `body` share `entries`, in place.
    static func share<Outcome, Failure: Error>(
        _ entries: inout [TreeEntry], _ body: (EntryTable) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let outcome: Result<Outcome, Failure> = entries.withUnsafeMutableBufferPointer { buffer in
            let table = EntryTable(buffer: buffer)
            return Result { () throws(Failure) in try body(table) }
        }
        return try outcome.get()
    }

    var startIndex: Int { 0 }
    var endIndex: Int { buffer.count }

    subscript(number: Int) -> TreeEntry { buffer[number] }

    /// Whether there is an entry at a path; any thread may ask at any time, since paths never change.
    func has(_ path: RelativePath, in root: TreeRoot) -> Bool {
        var low = 0
        var high = buffer.count
        while low < high {
            let middle = (low + high) / 2
            let here = buffer[middle].root
            if here == root ? buffer[middle].path < path : here < root { low = middle + 1 } else { high = middle }
        }
        return low < buffer.count && buffer[low].root == root && buffer[low].path == path
    }

    /// Changes an entry. The taker's alone.
    func update(_ number: Int, _ change: (inout TreeEntry) -> Void) {
        change(&buffer[number])
    }
}
