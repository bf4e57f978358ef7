import CDeflate
import CapsuleCore
import CapsuleSystem

/// A zip's central directory (APPNOTE.TXT, section 4.3). It is not read with libarchive, whose names depend on the locale.
/// Bytes before the first entry and after the end record are ignored, as in Python, Go and bsdtar, because self-extracting
/// programs have them. Archives that other programs would read differently are rejected: those with entries that share bytes,
/// or with local headers that contradict the directory. So are those behind the beginning of another zip, which may be in it.
struct ZipDirectory {
    /// The entries in the order of their local headers, which is the order of libarchive.
    let entries: [ZipDirectoryEntry]
    /// The offset in the file that all offsets in the zip are relative to.
    let start: UInt64
    /// The offset after the end record without its comment. libarchive searches for the record in a file's last 16 KiB.
    let end: UInt64

    init(of file: CapsuleFile) throws(CapsuleError) {
        let end = try ZipEndRecord(of: file)
        var found = try Self.readEntries(of: file, end)
        found.sort { $0.localOffset < $1.localOffset }
        let first = found.first?.localOffset ?? end.directoryOffset
        if first > 0, ForeignForm(startingWith: try file.read(at: 0, count: 4)) == .zip {
            throw CapsuleError(
                .damaged, "is truncated, or has several zips: the last end record is not that of the zip at the start",
                path: file.path)
        }
        for number in found.indices { try found[number].checkLocalHeader(in: file) }
        for (entry, following) in zip(found, found.dropFirst()) where entry.end > following.localOffset {
            throw CapsuleError(.damaged, "shares bytes with '\(HostPath(entry.name))'", path: HostPath(following.name))
        }
        if let last = found.last, last.end > end.directoryOffset {
            throw CapsuleError(.damaged, "shares bytes with the zip's directory", path: HostPath(last.name))
        }
        entries = found
        start = end.start
        self.end = end.offset + UInt64(ZipEndRecord.length)
    }

    private static func readEntries(of file: CapsuleFile, _ end: ZipEndRecord) throws(CapsuleError) -> [ZipDirectoryEntry] {
        guard end.entries <= CapsuleLimits.entries else {
            throw CapsuleError(.limit, "has more than \(CapsuleLimits.entries) entries", path: file.path)
        }
        guard end.directoryLength <= UInt64(ForeignLimits.listingLength) else {
            throw CapsuleError(.limit, "its directory is longer than \(ForeignLimits.listingLength >> 20) MiB", path: file.path)
        }
        let bytes = try file.read(at: end.directoryOffset, count: Int(end.directoryLength))
        // Checks that the bytes are enough for the number of entries, before memory is allocated for them.
        guard end.entries <= UInt64(bytes.count / ZipDirectoryEntry.shortest) else { throw damaged(file) }
        do {
            return try bytes.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(bytes)
                var entries: [ZipDirectoryEntry] = []
                entries.reserveCapacity(Int(end.entries))
                for _ in 0..<end.entries { entries.append(try ZipDirectoryEntry(&reader, file: file, start: end.start)) }
                guard reader.remaining == 0 else { throw damaged(file) }
                return entries
            }
        } catch let error as CapsuleError {
            throw error
        } catch {
            throw damaged(file)
        }
    }

    private static func damaged(_ file: CapsuleFile) -> CapsuleError {
        CapsuleError(.damaged, "the zip's directory does not match the entry count or length in its end record", path: file.path)
    }
}

/// An entry in a zip's central directory (APPNOTE.TXT, 4.3.12).
struct ZipDirectoryEntry {
    static let shortest = 46
    private static let signature: UInt32 = 0x0201_4B50
    private static let localSignature: UInt32 = 0x0403_4B50
    private static let localLength = 30
    private static let wideField: UInt16 = 0x0001
    private static let unicodePathField: UInt16 = 0x7075
    private static let encrypted: UInt16 = 1 << 0
    private static let sizesBehind: UInt16 = 1 << 3
    private static let encryptedDirectory: UInt16 = 1 << 13
    /// The number of FAT among the systems that create archives (4.4.2).
    private static let fat: UInt8 = 0
    private static let directoryAttribute: UInt32 = 0x10
    /// The numbers of Unix and macOS among these systems.
    private static let unixes: Set<UInt8> = [3, 19]

    /// The raw bytes of the name, regardless of the encoding that bit 11 states.
    let name: [UInt8]
    /// The name in UTF-8, if an extra field contains one for exactly this name.
    private let unicodeName: [UInt8]?
    private let system: UInt8
    private let externalAttributes: UInt32
    private let flags: UInt16
    let method: UInt16
    let crc: UInt32
    let stored: UInt64
    let size: UInt64
    let localOffset: UInt64
    private(set) var dataOffset: UInt64 = 0
    private(set) var end: UInt64 = 0

    /// - Parameter start: the offset in the file that the offsets in the zip are relative to.
    init(_ reader: inout ByteReader, file: CapsuleFile, start: UInt64) throws {
        guard try reader.integer(UInt32.self) == Self.signature else { throw ByteReader.Shortage() }
        _ = try reader.integer(UInt8.self)
        system = try reader.integer(UInt8.self)
        _ = try reader.integer(UInt16.self)
        flags = try reader.integer(UInt16.self)
        method = try reader.integer(UInt16.self)
        _ = try reader.integer(UInt32.self)
        crc = try reader.integer(UInt32.self)
        let stored = try reader.integer(UInt32.self)
        let size = try reader.integer(UInt32.self)
        let nameLength = Int(try reader.integer(UInt16.self))
        let extraLength = Int(try reader.integer(UInt16.self))
        let commentLength = Int(try reader.integer(UInt16.self))
        let disk = try reader.integer(UInt16.self)
        _ = try reader.integer(UInt16.self)
        externalAttributes = try reader.integer(UInt32.self)
        let localOffset = try reader.integer(UInt32.self)
        name = Array(try reader.slice(nameLength))
        let extra = try reader.slice(extraLength)
        _ = try reader.slice(commentLength)

        var wide = Self.field(Self.wideField, in: extra)
        func widened(_ value: UInt32) throws -> UInt64 {
            value == UInt32.max && wide != nil ? try wide?.integer(UInt64.self) ?? 0 : UInt64(value)
        }
        self.size = try widened(size)
        self.stored = try widened(stored)
        let (place, overflow) = try widened(localOffset).addingReportingOverflow(start)
        self.localOffset = overflow ? .max : place
        unicodeName = Self.unicodeName(in: extra, for: name)
        guard disk == 0 else { throw CapsuleError(.unreadable, "is part of a zip split into several files", path: file.path) }
        guard flags & (Self.encrypted | Self.encryptedDirectory) == 0 else {
            throw CapsuleError(.unreadable, "is encrypted", path: HostPath(name))
        }
    }

    private static func field(_ number: UInt16, in extra: UnsafeRawBufferPointer) -> ByteReader? {
        var reader = ByteReader(extra)
        while let found = try? reader.integer(UInt16.self), let length = try? reader.integer(UInt16.self),
            let content = try? reader.slice(Int(length))
        {
            if found == number { return ByteReader(content) }
        }
        return nil
    }

    /// Returns the Info-ZIP Unicode path (4.6.9) if it belongs to `name`. It consists of a version, the CRC of the name, and UTF-8.
    private static func unicodeName(in extra: UnsafeRawBufferPointer, for name: [UInt8]) -> [UInt8]? {
        guard var field = field(unicodePathField, in: extra), (try? field.integer(UInt8.self)) == 1,
            (try? field.integer(UInt32.self)) == name.withUnsafeBytes({ UInt32(libdeflate_crc32(0, $0.baseAddress, $0.count)) }),
            let bytes = try? field.slice(field.remaining), !bytes.isEmpty, String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        return Array(bytes)
    }

    mutating func checkLocalHeader(in file: CapsuleFile) throws(CapsuleError) {
        let path = HostPath(name)
        let offset = localOffset
        let count = Self.localLength + name.count
        try Interruption.check()
        let bytes = try file.read(at: offset, count: count)
        let outside = CapsuleError(.damaged, "has no header at the place given in the zip's directory", path: path)
        guard bytes.count == count else { throw outside }
        let header: (isHeader: Bool, flags: UInt16, agrees: Bool, extra: UInt16)
        do {
            header = try bytes.withRawBytes { (bytes) throws(ByteReader.Shortage) in
                var reader = ByteReader(bytes)
                let isHeader = try reader.integer(UInt32.self) == Self.localSignature
                _ = try reader.integer(UInt16.self)
                let flags = try reader.integer(UInt16.self)
                let method = try reader.integer(UInt16.self)
                _ = try reader.integer(UInt32.self)
                let crc = try reader.integer(UInt32.self)
                let stored = try reader.integer(UInt32.self)
                let size = try reader.integer(UInt32.self)
                let nameLength = Int(try reader.integer(UInt16.self))
                let extra = try reader.integer(UInt16.self)
                var agrees =
                    method == self.method && nameLength == name.count && reader.remaining == name.count
                    && bytes[Self.localLength...].elementsEqual(name)
                if flags & Self.sizesBehind == 0 {
                    agrees =
                        agrees && crc == self.crc && (stored == UInt32.max || UInt64(stored) == self.stored)
                        && (size == UInt32.max || UInt64(size) == self.size)
                }
                return (isHeader, flags, agrees, extra)
            }
        } catch {
            throw outside
        }
        guard header.isHeader else { throw outside }
        guard header.agrees else {
            throw CapsuleError(.damaged, "its header and the zip's directory don't match", path: path)
        }
        dataOffset = localOffset + UInt64(count) + UInt64(header.extra)
        let (end, overflow) = dataOffset.addingReportingOverflow(stored)
        guard !overflow, end <= file.length else { throw CapsuleError(.damaged, "extends beyond the end of the zip", path: path) }
        self.end = end
    }

    private var isUnix: Bool { Self.unixes.contains(system) }
    private var unixMode: UInt32 { isUnix ? externalAttributes >> 16 : 0 }

    /// The name with slashes as separators. Some archivers on DOS and Windows write backslashes.
    var portableName: [UInt8] {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        if let unicodeName { return unicodeName }
        guard system == Self.fat, !name.contains(slash) else { return name }
        return name.map { $0 == backslash ? slash : $0 }
    }

    var kind: ForeignEntry.Kind {
        if portableName.last == UInt8(ascii: "/") { return .directory }
        switch FileTypeBits(unixMode) {
        case .directory: return .directory
        case .link: return .link
        // Info-ZIP stores what it reads from a pipe, and all programs extract it as a file.
        case .special(.pipe): return .file
        case .special(let kind): return .special(kind)
        // Archivers without Unix modes mark a directory only with the DOS attribute.
        case .none where unixMode == 0 && externalAttributes & Self.directoryAttribute != 0: return .directory
        case .file, .none: return .file
        }
    }

    /// True if the entry has a Unix mode. Libraries that don't support Unix modes leave zero.
    var hasMode: Bool { unixMode != 0 }

    var mode: FileMode {
        let isDirectory = kind == .directory
        return !hasMode ? FileMode(isDirectory ? 0o755 : 0o644) : FileMode(unixMode)
    }
}
