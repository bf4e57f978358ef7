import CSystem
package import CapsuleCore

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
    ///
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

    /// Sets an attribute (fsetxattr(2)).
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
    ///
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

    /// Removes an attribute (fremovexattr(2)). A missing attribute is not an error.
    package static func remove(
        _ name: [UInt8], from descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) {
        let own = systemName(name)
        try Syscall.withCString(own, "remove an attribute") { (text) throws(CapsuleError) in
            try Syscall.announce(.setAttribute(descriptor), "remove an attribute", path())
            if capsule_remove_attribute(descriptor, text) == 0 { return }
            let number = errno
            if number == CAPSULE_NO_ATTRIBUTE { return }
            throw CapsuleError(
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
                throw CapsuleError(
                    errno: number, "read the attribute '\(String(decoding: name, as: UTF8.self))'", path())
            }
        }
    }
}
