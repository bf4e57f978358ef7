import CSystem
package import CapsuleCore

/// Resolves the links and dots in paths.
package enum RealPath {
    /// - Returns: nil if nothing is there.
    /// - Throws: if that can't be determined. Below a directory that this user can't search, and where the full path is longer than the
    ///   system accepts, a relative path works although its full path can't be found.
    package static func resolve(_ path: HostPath) throws(CapsuleError) -> HostPath? {
        let (found, number) = (path.bytes + [0]).withUnsafeBytes { (bytes) -> (HostPath?, Int32) in
            guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return (nil, ENOENT) }
            guard let found = realpath(name, nil) else { return (nil, errno) }
            defer { free(found) }
            return (HostPath([UInt8](UnsafeRawBufferPointer(start: found, count: strlen(found)))), 0)
        }
        if let found { return found }
        guard [ENOENT, ENOTDIR, ELOOP].contains(number) else {
            throw CapsuleError(errno: number, FailedCall.resolving, path)
        }
        return nil
    }

    /// - Returns: the path without links if it can be determined, or else the path in the last link; the path itself if nothing is there.
    package static func ofFile(_ path: HostPath) throws(CapsuleError) -> HostPath {
        if let real = try? resolve(path) { return real }
        var place = path
        for _ in 0..<linkLimit {
            guard let status = try Syscall.statusIfThere(place), status.kind == .link else { return place }
            let target = try Syscall.linkTarget(place)
            place = target.first == UInt8(ascii: "/") ? HostPath(target) : place.directory.appending(target)
        }
        throw CapsuleError(errno: ELOOP, "follow", path)
    }

    static let linkLimit = 40

    /// Returns the name that an open file had when it was opened, or was given since.
    /// - Returns: nil for a descriptor without a name. On Linux, a deleted file has a name that leads nowhere.
    static func name(of descriptor: Int32) -> HostPath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
        guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
        #else
        guard readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1) > 0 else { return nil }
        #endif
        return HostPath(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }

    /// Returns the path of the plain file that standard input is redirected from.
    /// - Returns: nil for a pipe, a terminal or a device, and for a file that no longer has a name.
    package static func ofStandardInput() -> HostPath? {
        let stream = HostPath("standard input")
        guard let status = try? Syscall.status(of: STDIN_FILENO, path: stream), status.kind == .file else { return nil }
        // Another file may have the name by now.
        guard let path = name(of: STDIN_FILENO), let named = try? Syscall.status(path, following: true),
            named.isSameFile(as: status)
        else { return nil }
        return path
    }
}

/// A directory and all directories above it, as the file system has them.
/// They are found through `..`, which works where names don't: below a directory that this user can't search, and where the full path is
/// longer than the system accepts.
package struct DirectoryChain: Sendable {
    private var statuses: [FileStatus]
    /// The reason why the directories above the last one are not known.
    private var failure: CapsuleError?

    package init(from start: HostPath) throws(CapsuleError) {
        var (place, found) = (start, try Syscall.status(start, following: true))
        statuses = [found]
        while true {
            place = place.appending(Array("..".utf8))
            let above: FileStatus
            do throws(CapsuleError) {
                above = try Syscall.status(place, following: true)
            } catch {
                failure = CapsuleError(errno: error.errno ?? 0, FailedCall.resolving, start)
                addDirectories(byNameFrom: start)
                if failure != nil { addDirectories(byNameFrom: HostPath(".")) }
                return
            }
            // The root directory is its own parent.
            if above.isSameFile(as: found) { return }
            statuses.append(above)
            found = above
        }
    }

    /// Continues from the last directory by name, if it is on a path that is known. Finding the path of the current directory needs no
    /// search permission.
    private mutating func addDirectories(byNameFrom path: HostPath) {
        guard let last = statuses.last, var name = try? RealPath.resolve(path) else { return }
        var added: [FileStatus]?
        while true {
            let found = try? Syscall.status(name, following: true)
            if let known = added {
                guard let found else { return }
                added = known + [found]
            } else if let found, found.isSameFile(as: last) {
                added = []
            }
            if name.bytes.count <= 1 { break }
            name = name.directory
        }
        guard let added else { return }
        statuses += added
        failure = nil
    }

    package func contains(_ directory: HostPath) throws(CapsuleError) -> Bool {
        let other = try DirectoryChain(from: directory)
        guard let first = other.statuses.first else { return false }
        if holds(first) { return true }
        // A directory below one of these is not one of the directories above it.
        if let failure, !other.statuses.contains(where: holds) { throw failure }
        return false
    }

    private func holds(_ directory: FileStatus) -> Bool { statuses.contains { $0.isSameFile(as: directory) } }
}

/// Reads and writes the extended attributes of open files and directories, under their portable names.
package enum ExtendedAttributes {
    /// The attributes that were read, and the names of those that a capsule can't hold.
    package struct Reading: Sendable {
        /// The attributes, sorted by the bytes of their names, without those on the deny list.
        package var attributes: [ExtendedAttribute] = []
        /// The names of the attributes that were left out: the value is longer than ``ExtendedAttribute/maximumValueLength``, or the
        /// attribute would take the entry's total past ``ExtendedAttribute/maximumTotalLength``.
        package var tooLong: [[UInt8]] = []

        package init() {}
    }

    /// Reads all attributes of an open file or directory: flistxattr(2), fgetxattr(2). A file system without attributes gives none.
    /// They are read in order of name, not in the file system's order, so that the same ones are left out each time there are too many.
    package static func read(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) -> Reading {
        var reading = Reading()
        var room = ExtendedAttribute.maximumTotalLength
        let names = try list(descriptor, path: path()).map { (own: $0, portable: ExtendedAttribute.portableName(fromLinux: $0)) }
        var last: [UInt8]?
        for (name, portable) in names.sorted(by: isOrdered) {
            // A file on a Mac that came from Linux may have both spellings of a name. The Mac's own sorts first and is kept.
            if ExtendedAttribute.isDenied(portable) || portable == last { continue }
            last = portable
            guard let value = try value(of: name, descriptor, path: path()) else { continue }
            if value.count > ExtendedAttribute.maximumValueLength || portable.count + value.count > room {
                reading.tooLong.append(portable)
            } else {
                room -= portable.count + value.count
                reading.attributes.append(ExtendedAttribute(name: portable, value: value))
            }
        }
        return reading
    }

    private static func isOrdered(_ one: (own: [UInt8], portable: [UInt8]), _ other: (own: [UInt8], portable: [UInt8])) -> Bool {
        one.portable == other.portable
            ? one.own.count < other.own.count : one.portable.lexicographicallyPrecedes(other.portable)
    }

    package static func set(
        _ attribute: ExtendedAttribute, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) {
        let name = systemName(attribute.name)
        try Syscall.withCString(name, "set an attribute") { (text) throws(CapsuleError) in
            try Syscall.announce(.setAttribute(descriptor), "set an attribute", path())
            _ = try Syscall.repeating("set the attribute '\(String(decoding: name, as: UTF8.self))'", path()) {
                attribute.value.withUnsafeBytes { bytes in
                    capsule_set_attribute(descriptor, text, bytes.baseAddress, bytes.count)
                }
            }
        }
    }

    /// Sets an attribute that the file system may refuse (fsetxattr(2)): it may support no attributes, not this name, or not this length.
    /// - Returns: true if it was set; always false for an attribute on the deny list.
    /// - Throws: for any other failure, such as a disk error or a full disk.
    package static func setIfTaken(
        _ attribute: ExtendedAttribute, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) -> Bool {
        if ExtendedAttribute.isDenied(attribute.name) { return false }
        do throws(CapsuleError) {
            try set(attribute, on: descriptor, path: path())
            return true
        } catch {
            switch error.errno {
            case EIO, EROFS, EDQUOT, ENOMEM, EINTR: throw error
            case ENOSPC:
                // ext4 also reports ENOSPC for more attributes than fit in a block.
                let present = try read(descriptor, path: path()).attributes
                let total = (present + [attribute]).reduce(0) { $0 + $1.name.count + $1.value.count }
                if total < roomForSure { throw error }
            default: break
            }
            return false
        }
    }

    /// The total in bytes of an entry's attributes that every file system with attributes accepts.
    private static let roomForSure = 2_000

    package static func remove(_ name: [UInt8], from descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) {
        let own = systemName(name)
        try Syscall.withCString(own, "remove an attribute") { (text) throws(CapsuleError) in
            try Syscall.announce(.setAttribute(descriptor), "remove an attribute", path())
            if capsule_remove_attribute(descriptor, text) == 0 { return }
            let number = errno
            if number == CAPSULE_NO_ATTRIBUTE { return }
            throw CapsuleError(errno: number, "remove the attribute '\(String(decoding: own, as: UTF8.self))'", path())
        }
    }

    private static func systemName(_ portable: [UInt8]) -> [UInt8] {
        #if os(Linux)
        ExtendedAttribute.linuxName(fromPortable: portable)
        #else
        portable
        #endif
    }

    private static func list(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) -> [[UInt8]] {
        // Nearly every file has no attributes, so one call without a buffer is enough.
        let needed = listNames(descriptor, nil)
        if needed == 0 { return [] }
        if needed < 0 {
            let number = errno
            if number == ENOTSUP { return [] }
            throw CapsuleError(errno: number, "list its attributes", path())
        }
        // The list may grow between two calls; Linux and macOS both keep it below 64 KiB.
        var room = [UInt8](repeating: 0, count: max(needed, 1 << 16))
        let length = try Syscall.repeating("list its attributes", path()) {
            room.withUnsafeMutableBytes { listNames(descriptor, $0) }
        }
        return room[..<length].split(separator: 0).map(Array.init)
    }

    private static func listNames(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer?) -> Int {
        let text = room?.baseAddress?.assumingMemoryBound(to: CChar.self)
        return capsule_list_attributes(descriptor, text, room?.count ?? 0)
    }

    /// Returns the value of an attribute, or nil if the attribute was removed meanwhile. Of a value over the limit, only one byte more than
    /// the limit is read.
    private static func value(
        of name: [UInt8], _ descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) -> [UInt8]? {
        try Syscall.withCString(name, "read an attribute") { (text) throws(CapsuleError) in
            var room = [UInt8](repeating: 0, count: ExtendedAttribute.maximumValueLength + 1)
            let length = room.withUnsafeMutableBytes { bytes in
                capsule_get_attribute(descriptor, text, bytes.baseAddress, bytes.count)
            }
            if length >= 0 { return Array(room[..<length]) }
            let number = errno
            switch number {
            case ERANGE: return room
            case CAPSULE_NO_ATTRIBUTE: return nil
            default:
                throw CapsuleError(errno: number, "read the attribute '\(String(decoding: name, as: UTF8.self))'", path())
            }
        }
    }
}
