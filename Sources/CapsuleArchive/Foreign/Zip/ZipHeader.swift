import CapsuleCore

/// An entry's two headers (APPNOTE.TXT, 4.3.7 and 4.3.12).
struct ZipHeader {
    private static let unix: UInt16 = 3 << 8
    /// Deflate and directories, and zip64, by the version that brought them.
    private static let plainVersion: UInt16 = 20
    private static let wideVersion: UInt16 = 45
    private static let utf8Flag: UInt16 = 1 << 11
    private static let wideField: UInt16 = 0x0001
    private static let timeField: UInt16 = 0x5455
    private static let hasModified: UInt8 = 1
    private static let dosDirectory: UInt32 = 0x10

    private let name: [UInt8]
    private let content: ZipContent
    private let offset: UInt64
    private let time: ZipTime
    private let attributes: UInt32

    init(_ entry: TreeEntry, name: [UInt8], _ content: ZipContent, offset: UInt64) {
        self.name = name
        self.content = content
        self.offset = offset
        time = ZipTime(entry.modified)
        let type: UInt32 =
            switch entry.kind {
            case .directory: 0o040000
            case .file, .identity: 0o100000
            case .link: 0o120000
            }
        attributes = (type | UInt32(entry.mode.rawValue)) << 16 | (entry.kind == .directory ? Self.dosDirectory : 0)
    }

    /// Decided by the size alone, which is known before the stored length: no content is stored longer than it is.
    private var isWide: Bool { content.size >= UInt64(UInt32.max) }
    private var isFar: Bool { offset >= UInt64(UInt32.max) }

    var local: [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
        var extra: [UInt8] = []
        if isWide {
            extra.appendInteger(Self.wideField)
            extra.appendInteger(UInt16(16))
            extra.appendInteger(content.size)
            extra.appendInteger(content.stored)
        }
        appendTime(to: &extra)
        appendShared(version: isWide ? Self.wideVersion : Self.plainVersion, extra: extra.count, to: &bytes)
        return bytes + name + extra
    }

    var central: [UInt8] {
        let version = isWide || isFar ? Self.wideVersion : Self.plainVersion
        var bytes: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
        var wide: [UInt8] = []
        if isWide {
            wide.appendInteger(content.size)
            wide.appendInteger(content.stored)
        }
        if isFar { wide.appendInteger(offset) }
        var extra: [UInt8] = []
        if !wide.isEmpty {
            extra.appendInteger(Self.wideField)
            extra.appendInteger(UInt16(wide.count))
            extra += wide
        }
        appendTime(to: &extra)
        bytes.appendInteger(Self.unix | version)
        appendShared(version: version, extra: extra.count, to: &bytes)
        // No comment, one file, binary.
        for _ in 0..<3 { bytes.appendInteger(UInt16(0)) }
        bytes.appendInteger(attributes)
        bytes.appendInteger(isFar ? UInt32.max : UInt32(offset))
        return bytes + name + extra
    }

    /// From the version needed to the lengths of name and extra fields, as both headers have them.
    private func appendShared(version: UInt16, extra: Int, to bytes: inout [UInt8]) {
        bytes.appendInteger(version)
        bytes.appendInteger(ZipName.claimsUTF8(name) ? Self.utf8Flag : 0)
        bytes.appendInteger(content.method.rawValue)
        bytes.appendInteger(time.dosTime)
        bytes.appendInteger(time.dosDate)
        bytes.appendInteger(content.crc)
        bytes.appendInteger(isWide ? UInt32.max : UInt32(truncatingIfNeeded: content.stored))
        bytes.appendInteger(isWide ? UInt32.max : UInt32(truncatingIfNeeded: content.size))
        bytes.appendInteger(UInt16(truncatingIfNeeded: name.count))
        bytes.appendInteger(UInt16(truncatingIfNeeded: extra))
    }

    private func appendTime(to extra: inout [UInt8]) {
        guard let seconds = time.unix else { return }
        extra.appendInteger(Self.timeField)
        extra.appendInteger(UInt16(5))
        extra.append(Self.hasModified)
        extra.appendInteger(seconds)
    }

    /// What ends a zip, in 64 bits where 32 don't do (4.3.14 to 4.3.16).
    static func end(entries: UInt64, directoryOffset: UInt64, directoryLength: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        let isWide =
            entries >= UInt64(UInt16.max) || directoryOffset >= UInt64(UInt32.max) || directoryLength >= UInt64(UInt32.max)
        if isWide {
            bytes += [0x50, 0x4B, 0x06, 0x06]
            bytes.appendInteger(UInt64(44))
            bytes.appendInteger(unix | wideVersion)
            bytes.appendInteger(wideVersion)
            bytes.appendInteger(UInt64(0))
            bytes.appendInteger(entries)
            bytes.appendInteger(entries)
            bytes.appendInteger(directoryLength)
            bytes.appendInteger(directoryOffset)
            bytes += [0x50, 0x4B, 0x06, 0x07]
            bytes.appendInteger(UInt32(0))
            bytes.appendInteger(directoryOffset + directoryLength)
            bytes.appendInteger(UInt32(1))
        }
        bytes += [0x50, 0x4B, 0x05, 0x06]
        bytes.appendInteger(UInt32(0))
        bytes.appendInteger(UInt16(clamping: entries))
        bytes.appendInteger(UInt16(clamping: entries))
        bytes.appendInteger(UInt32(clamping: directoryLength))
        bytes.appendInteger(UInt32(clamping: directoryOffset))
        bytes.appendInteger(UInt16(0))
        return bytes
    }
}
