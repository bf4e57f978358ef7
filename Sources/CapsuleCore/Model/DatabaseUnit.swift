/// The names that SQLite and Core Data give to the files of one database.
package enum DatabaseUnit {
    /// The bytes that a database file begins with (SQLite file format, section 1.3.1).
    package static let magic = Array("SQLite format 3\0".utf8)

    /// The suffixes of the companion files that hold content. These files are read before the database, because a checkpoint
    /// moves their content into it.
    package static let logSuffixes = [Array("-journal".utf8), Array("-wal".utf8)]

    /// Returns true if the file is the shared memory through which processes share the index of a log. Such a file is written
    /// in memory, so its times carry no information.
    package static func isSharedMemory(_ path: RelativePath) -> Bool { path.bytes.suffix(4).elementsEqual("-shm".utf8) }

    /// The bytes that logs begin with: write-ahead logs, by the byte order of their checksums, and rollback journals (SQLite
    /// file format, sections 4.1 and 3).
    private static let logMagics: [[UInt8]] = [
        [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
    ]

    /// Returns true if a file that begins with these bytes is a log. Its database may be encrypted.
    package static func isLog(startingWith start: [UInt8]) -> Bool { logMagics.contains { start.starts(with: $0) } }

    /// Returns the path of the database whose log would have the path `path`, or nil if the name is not that of a log.
    package static func database(ofLog path: RelativePath) -> RelativePath? {
        // This function runs for every file, and nearly no name ends with the last letter of both suffixes.
        guard path.bytes.last == UInt8(ascii: "l") else { return nil }
        for suffix in logSuffixes where path.name.count > suffix.count && path.name.suffix(suffix.count).elementsEqual(suffix) {
            return RelativePath(unchecked: Array(path.bytes.dropLast(suffix.count)))
        }
        return nil
    }
}

/// Names with a meaning in a container (docs/format.md, sections 5 and 7).
package enum ContainerNames {
    /// The directory of a bundle that holds the app's data.
    package static let appData = Array("AppData".utf8)
    /// The directory of a bundle that holds app groups, each in a directory named by its identifier.
    package static let appGroups = Array("AppGroups".utf8)
    /// The name, among the app groups, of the keychain of the whole device. No app group has it: theirs begin with `group.` or a
    /// team's identifier.
    package static let keychain = Array("Keychain".utf8)
    /// The number of components in the path of an app group's directory.
    package static let groupDepth = 2
    /// The container manager's metadata property list, at the top of a container or of a group.
    package static let identity = Array(".com.apple.mobile_container_manager.metadata.plist".utf8)
    /// The names at the top of a container.
    package static let top = ["Documents", "Library", "SystemData", "tmp"]
    /// The name under which a transaction stores its pending steps, at the top of a container, a group or a directory. It is
    /// never part of a tree.
    package static let transaction = Array(".capsule-transaction".utf8)
    package static let journal = Array("journal".utf8)
    /// The file in a ``transaction`` with the location of the journal, in a directory that takes part in another directory's
    /// transaction.
    package static let leader = Array("leader".utf8)

    /// Returns the path or pattern inside the container for one that begins with the wrapper's `AppData/`. Returns nil for any
    /// other path, and if nothing follows `AppData/`.
    package static func insideAppData(_ path: [UInt8]) -> String? {
        let wrapper = appData + [RelativePath.slash]
        guard path.starts(with: wrapper), path.count > wrapper.count else { return nil }
        return String(validating: path[wrapper.count...], as: UTF8.self)
    }

    package static func hint(forPathInside path: String) -> String { "paths begin inside AppData: write '\(path)'" }
}
