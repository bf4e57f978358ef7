import CSystem
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The entries of one directory, each with its status, in no order.
package struct DirectoryListing {
    package struct Item {
        package let name: [UInt8]
        package let status: FileStatus
        /// A link's target; empty for all else.
        package let target: [UInt8]
    }

    /// What the directory held while it was read; an entry that went meanwhile is left out.
    package let items: [Item]

    #if os(Linux)
    /// Reads raw records (getdents64(2)): the names in them are C strings already, so a status costs no copy.
    init(of directory: borrowing OwnedDescriptor, path: HostPath) throws(FileSystemError) {
        var items: [Item] = []
        let raw = directory.raw
        var buffer = [UInt64](repeating: 0, count: Self.bufferLength / 8)
        while true {
            let length = try Syscall.repeating("list", path) {
                buffer.withUnsafeMutableBytes { capsule_getdents(raw, $0.baseAddress, $0.count) }
            }
            if length == 0 { break }
            let failure: FileSystemError? = buffer.withUnsafeBytes { bytes in
                do throws(FileSystemError) {
                    try Self.appendRecords(of: UnsafeRawBufferPointer(rebasing: bytes[..<length]), in: raw, path, to: &items)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
        }
        self.items = items
    }

    private static func appendRecords(
        of records: UnsafeRawBufferPointer, in directory: Int32, _ path: HostPath, to items: inout [Item]
    ) throws(FileSystemError) {
        // struct linux_dirent64: inode u64, offset u64, record length u16, type u8, name.
        var at = 0
        while at + nameOffset < records.count, let base = records.baseAddress {
            let record = base + at
            at += Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
            let name = (record + nameOffset).assumingMemoryBound(to: CChar.self)
            try append(name, in: directory, path, to: &items)
        }
    }

    private static let nameOffset = 19
    private static let bufferLength = 1 << 16
    #else
    init(of directory: borrowing OwnedDescriptor, path: HostPath) throws(FileSystemError) {
        var items: [Item] = []
        // The stream closes its descriptor, so it gets one of its own.
        let own = try Syscall.open(at: directory.raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY)
        guard let stream = fdopendir(dup(own.raw)) else { throw FileSystemError(errno: errno, "list", path) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let record = readdir(stream) else {
                let number = errno
                if number != 0 { throw FileSystemError(errno: number, "list", path) }
                break
            }
            let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(record).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            try Self.append(name, in: directory.raw, path, to: &items)
        }
        self.items = items
    }
    #endif

    private static func append(
        _ name: UnsafePointer<CChar>, in directory: Int32, _ path: HostPath, to items: inout [Item]
    ) throws(FileSystemError) {
        let length = strlen(name)
        if name[0] == 0x2E, length == 1 || (length == 2 && name[1] == 0x2E) { return }
        var status = stat()
        if fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
            let number = errno
            if number == ENOENT { return }
            throw FileSystemError(errno: number, "stat", path.appending(copy(name, length)))
        }
        let bytes = copy(name, length)
        let found = FileStatus(status)
        let target = found.kind == .link ? try Syscall.linkTarget(at: directory, HostPath(bytes)) : []
        items.append(Item(name: bytes, status: found, target: target))
    }

    private static func copy(_ name: UnsafePointer<CChar>, _ length: Int) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: name, count: length))
    }
}
