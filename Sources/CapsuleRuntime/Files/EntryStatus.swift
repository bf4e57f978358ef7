import Foundation

/// What fstatat(2) tells of an entry, a link itself.
struct EntryStatus {
    enum Kind {
        case file, directory, link
        /// A pipe, socket or device.
        case other
    }

    let kind: Kind
    /// Permissions alone.
    let mode: mode_t
    let modified: timespec
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        mode = status.st_mode & 0o777
        device = status.st_dev
        inode = status.st_ino
        #if canImport(Darwin)
        modified = status.st_mtimespec
        #else
        modified = status.st_mtim
        #endif
    }
    /// Whether both are of one entry, whatever its names are.
    func isSame(as other: EntryStatus) -> Bool { device == other.device && inode == other.inode }
}
