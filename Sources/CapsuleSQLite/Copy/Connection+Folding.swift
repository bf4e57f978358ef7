import CapsuleCore

extension Connection {
    /// Sets what is right for a file that nobody else has.
    func makePrivate() throws(DatabaseError) {
        // Exclusive, so that the log's index is in memory and not in a file beside it. Temporary files have no names either,
        // and sorting what is large must not fill the memory.
        for setting in ["locking_mode=EXCLUSIVE", "mmap_size=0", "cell_size_check=ON", "temp_store=FILE", "foreign_keys=OFF"] {
            try run("PRAGMA \(setting)")
        }
    }

    /// Looks whether the pages that tables and indexes are made of agree.
    func checkPages() throws(DatabaseError) {
        try run("PRAGMA ignore_check_constraints=ON")
        let statement = try prepare("PRAGMA quick_check(1)")
        guard try statement.step(), let finding = statement.string(0) else {
            throw DatabaseError(.damaged, "can't check its pages")
        }
        let text = String(decoding: finding.prefix(500), as: UTF8.self)
        if text == "ok" { return }
        // A heading that names the database comes first.
        let line = text.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "its pages contradict each other"
        throw DatabaseError(.damaged, line.asMessage)
    }

    /// Writes the log's pages into the database file and empties the log; nothing to do without one.
    func checkpoint() throws(DatabaseError) {
        let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        guard try statement.step(), statement.integer(0) == 0 else {
            throw DatabaseError(.busy, "can't write its WAL into it")
        }
    }
}
