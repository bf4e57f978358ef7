import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// Standard input as a file: bounded, and judged by its first bytes before the rest is taken in.
enum StandardInput {
    /// What is wanted of a stream, which decides how much of it is taken in.
    enum Purpose: Sendable {
        /// A container in an archive of any form.
        case container
        /// A property list.
        case propertyList
        /// An overlay: a property list or a capsule.
        case overlay
    }

    /// How much is taken in: of an archive, of a property list, and of what begins as no archive does and may be one all the same.
    struct Limits: Sendable {
        var archive: UInt64 = 1 << 36
        var propertyList = StandardInput.longestPropertyList
        var unknown: UInt64 = 1 << 24
    }

    /// No longer property list is read.
    static let longestPropertyList: UInt64 = 1 << 30

    /// A file, or a stream, that no property list is as long as.
    static func tooLong(_ path: HostPath) -> CapsuleError {
        CapsuleError("is larger than \(longestPropertyList >> 30) GiB", path: path, hint: "this is the limit for property lists")
    }

    /// Takes in all of it, into a private file.
    ///
    /// - Throws: for a stream that is longer than what is wanted of it can be.
    static func spool(for purpose: Purpose) throws(CapsuleError) -> CapsuleFile {
        try spool(0, as: HostPath("standard input"), for: purpose)
    }

    /// Takes in all that a pipe has to give, as of a shell's process substitution.
    static func spool(pipe path: HostPath, for purpose: Purpose) throws(CapsuleError) -> CapsuleFile {
        let descriptor = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.openPipe(path) }
        return try spool(descriptor.raw, as: path, for: purpose)
    }

    static func spool(
        _ descriptor: Int32, as path: HostPath, for purpose: Purpose, limits: Limits = Limits()
    ) throws(CapsuleError) -> CapsuleFile {
        let spool = try CapsuleError.wrapping { () throws(FileSystemError) in try SpoolFile() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        var start: [UInt8] = []
        while true {
            let count = try CapsuleError.wrapping { () throws(FileSystemError) in
                try Interruption.check()
                let count = try Syscall.readSome(descriptor, into: buffer, path: path)
                try spool.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
                return count
            }
            if count == 0 { break }
            start += buffer[..<min(count, ComparedKind.headLength - start.count)]
            offset += UInt64(count)
            if start.count == ComparedKind.headLength { try limits.check(offset, startingWith: start, path, for: purpose) }
        }
        return try CapsuleError.wrapping { () throws(FileSystemError) in
            try CapsuleFile(adopting: try spool.duplicate(), path: path)
        }
    }
}

extension StandardInput.Limits {
    /// - Throws: for a stream of which more has come than may.
    fileprivate func check(
        _ length: UInt64, startingWith start: [UInt8], _ path: HostPath, for purpose: StandardInput.Purpose
    ) throws(CapsuleError) {
        let isArchive = ComparedKind.isArchive(start) || purpose == .container && TarChecksum.isRight(in: start)
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

    /// `64 GiB`; bytes where it is no whole number of a unit.
    private static func size(_ bytes: UInt64) -> String {
        let units: [(bytes: UInt64, name: String)] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for unit in units where bytes >= unit.bytes && bytes.isMultiple(of: unit.bytes) {
            return "\(bytes / unit.bytes) \(unit.name)"
        }
        return "\(bytes) bytes"
    }
}
