import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file's or directory's extended attributes, under their portable names.
package enum ExtendedAttributes {
    /// What was read, and what a capsule can't hold.
    package struct Reading: Sendable {
        /// By name bytes, without those of the deny list.
        package var attributes: [ExtendedAttribute] = []
        /// Names of those that are left out: the value is longer than ``ExtendedAttribute/maximumValueLength``, or with it the
        /// entry's come to more than ``ExtendedAttribute/maximumTotalLength``.
        package var tooLong: [[UInt8]] = []

        package init() {}
    }

    /// flistxattr(2), fgetxattr(2). A file system without attributes has none.
    ///
    /// They are taken by name, whatever the file system's order, so that of too many always the same are left out.
    package static func read(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) -> Reading {
        var reading = Reading()
        var room = ExtendedAttribute.maximumTotalLength
        let names = try list(descriptor, path: path()).map { (own: $0, portable: ExtendedAttribute.portableName(fromLinux: $0)) }
        var last: [UInt8]?
        for (name, portable) in names.sorted(by: isOrdered) {
            // A Mac's file that came from Linux may have both spellings of a name: the Mac's own comes first.
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

    /// fsetxattr(2)
    package static func set(
        _ attribute: ExtendedAttribute, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        let name = systemName(attribute.name)
        try Syscall.withCString(name, "set an attribute") { (text) throws(FileSystemError) in
            try Syscall.announce(.setAttribute(descriptor), "set an attribute", path())
            _ = try Syscall.repeating("set the attribute '\(String(decoding: name, as: UTF8.self))'", path()) {
                attribute.value.withUnsafeBytes { bytes in
                    capsule_set_attribute(descriptor, text, bytes.baseAddress, bytes.count)
                }
            }
        }
    }

    /// fsetxattr(2) of what the file system may not take: not at all, not of that name, not so long.
    ///
    /// - Returns: whether it is set; never for one that is never kept.
    /// - Throws: for a failure of another kind: of the disk, or for want of room on it.
    package static func setIfTaken(
        _ attribute: ExtendedAttribute, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> Bool {
        if ExtendedAttribute.isDenied(attribute.name) { return false }
        do throws(FileSystemError) {
            try set(attribute, on: descriptor, path: path())
            return true
        } catch {
            switch error.number {
            case EIO, EROFS, EDQUOT, ENOMEM, EINTR: throw error
            case ENOSPC:
                // ext4 says that, too, of more than a block holds.
                let present = try read(descriptor, path: path()).attributes
                let total = (present + [attribute]).reduce(0) { $0 + $1.name.count + $1.value.count }
                if total < roomForSure { throw error }
            default: break
            }
            return false
        }
    }

    /// So many bytes of an entry's attributes any file system takes that takes any.
    private static let roomForSure = 2_000

    /// fremovexattr(2); an attribute that is not there is no error.
    package static func remove(
        _ name: [UInt8], from descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        let own = systemName(name)
        try Syscall.withCString(own, "remove an attribute") { (text) throws(FileSystemError) in
            try Syscall.announce(.setAttribute(descriptor), "remove an attribute", path())
            if capsule_remove_attribute(descriptor, text) == 0 { return }
            let number = errno
            if number == CAPSULE_NO_ATTRIBUTE { return }
            throw FileSystemError(
                errno: number, "remove the attribute '\(String(decoding: own, as: UTF8.self))'", path())
        }
    }

    private static func systemName(_ portable: [UInt8]) -> [UInt8] {
        #if os(Linux)
        ExtendedAttribute.linuxName(fromPortable: portable)
        #else
        portable
        #endif
    }

    private static func list(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) -> [[UInt8]] {
        // Nearly every file has none: one call, no room needed.
        let needed = listNames(descriptor, nil)
        if needed == 0 { return [] }
        if needed < 0 {
            let number = errno
            if number == ENOTSUP { return [] }
            throw FileSystemError(errno: number, "list its attributes", path())
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

    /// nil for an attribute that went meanwhile; one byte over the limit is all that is read of a longer value.
    private static func value(
        of name: [UInt8], _ descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> [UInt8]? {
        try Syscall.withCString(name, "read an attribute") { (text) throws(FileSystemError) in
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
                throw FileSystemError(
                    errno: number, "read the attribute '\(String(decoding: name, as: UTF8.self))'", path())
            }
        }
    }
}
