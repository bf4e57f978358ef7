import CapsuleCore

extension OpenContent {
    /// The first bytes: so many, or all of a shorter file.
    func start(_ count: Int) throws(CapsuleError) -> [UInt8] {
        let outcome: Result<[UInt8], CapsuleError> = withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 16) {
            room in
            Result { () throws(CapsuleError) in
                let found = try read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
                return Array(room[..<found])
            }
        }
        return try outcome.get()
    }

    /// Whether it begins as a database does.
    func startsDatabase() throws(CapsuleError) -> Bool { try start(DatabaseUnit.magic.count) == DatabaseUnit.magic }

    /// Whether it begins as a database does; false for what can't be read.
    var isDatabase: Bool { (try? startsDatabase()) == true }
}

extension ContentProvider {
    /// Whether a file is a database, by its first bytes; false for one that can't be read.
    func isDatabase(_ entry: TreeEntry, number: Int) -> Bool {
        entry.kind == .file && entry.size >= UInt64(DatabaseUnit.magic.count)
            && (try? open(entry, number: number).startsDatabase()) == true
    }
}
