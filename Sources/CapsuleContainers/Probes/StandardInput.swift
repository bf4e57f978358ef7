package import CapsuleArchive
package import CapsuleCore
import CapsuleSystem

/// Reads standard input or a pipe into a file. Its size is limited, and it is judged by its first bytes before the rest is read.
package enum StandardInput {
    /// The purpose of a stream, which decides how much of it is read.
    package enum Purpose: Sendable {
        case container
        case propertyList
        case overlay
    }

    /// The largest sizes in bytes: of an archive, of a property list, and of a stream that does not begin like an archive but may
    /// still be one.
    struct Limits: Sendable {
        var archive: UInt64 = 1 << 36
        var propertyList = StandardInput.longestPropertyList
        var unknown: UInt64 = 1 << 24
    }

    package static let longestPropertyList: UInt64 = 1 << 30

    package static func tooLong(_ path: HostPath) -> CapsuleError {
        CapsuleError("is larger than \(longestPropertyList >> 30) GiB", path: path, hint: "this is the limit for property lists")
    }

    package static func spool(for purpose: Purpose) throws(CapsuleError) -> CapsuleFile {
        try spool(0, as: HostPath("standard input"), for: purpose)
    }

    /// Reads everything from a pipe, such as that of a shell's process substitution, into a private file.
    package static func spool(pipe path: HostPath, for purpose: Purpose) throws(CapsuleError) -> CapsuleFile {
        let descriptor = try Syscall.openPipe(path)
        return try spool(descriptor.raw, as: path, for: purpose)
    }

    static func spool(
        _ descriptor: Int32, as path: HostPath, for purpose: Purpose, limits: Limits = Limits()
    ) throws(CapsuleError) -> CapsuleFile {
        let spool = try SpoolFile()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        var start: [UInt8] = []
        while true {
            try Interruption.check()
            let count = try Syscall.readSome(descriptor, into: buffer, path: path)
            try spool.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            if count == 0 { break }
            start += buffer[..<min(count, InputKind.headLength - start.count)]
            offset += UInt64(count)
            if start.count == InputKind.headLength { try limits.check(offset, startingWith: start, path, for: purpose) }
        }
        return try CapsuleFile(adopting: try spool.duplicate(), path: path)
    }
}

extension StandardInput.Limits {
    fileprivate func check(
        _ length: UInt64, startingWith start: [UInt8], _ path: HostPath, for purpose: StandardInput.Purpose
    ) throws(CapsuleError) {
        let isArchive = InputKind.isArchive(start) || purpose == .container && TarChecksum.isRight(in: start)
        let isUnknown = purpose == .container && !isArchive
        let limit = isUnknown ? unknown : purpose != .propertyList && isArchive ? archive : propertyList
        guard length > limit else { return }
        if isUnknown {
            throw CapsuleError(
                "is not an archive, judging by the first \(Self.size(limit))", path: path,
                hint: "save it to a file and name the file: then all of it is checked")
        }
        if !isArchive || purpose == .propertyList { throw StandardInput.tooLong(path) }
        throw CapsuleError("is larger than \(Self.size(limit))", path: path, hint: "save it to a file and name the file")
    }

    private static func size(_ bytes: UInt64) -> String {
        let units: [(bytes: UInt64, name: String)] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for unit in units where bytes >= unit.bytes && bytes.isMultiple(of: unit.bytes) {
            return "\(bytes / unit.bytes) \(unit.name)"
        }
        return "\(bytes) bytes"
    }
}
