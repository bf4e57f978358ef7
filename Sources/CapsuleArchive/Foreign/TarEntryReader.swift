import CArchive
import CapsuleCore
import CapsuleSystem

/// Reads a tar of any dialect, compressed or not.
final class TarEntryReader: ForeignEntryReader {
    private let reader: LibarchiveReader
    private let source: any ByteSource
    private let input: StreamInput
    private let file: CapsuleFile
    private let isCompressed: Bool
    private let expansion: UInt64

    init(_ file: CapsuleFile, form: ForeignForm) throws(CapsuleError) {
        let plain = FileSource(file)
        source =
            switch form {
            case .gzip: InflatedSource(plain, path: file.path)
            case .zstd: ZstdSource(plain, path: file.path)
            case .xz: try FilteredSource(plain, .xz, file: file)
            case .bzip2: try FilteredSource(plain, .bzip2, file: file)
            case .tar, .zip: plain
            }
        self.file = file
        isCompressed = form != .tar
        expansion = ForeignLimits.expansion(of: file.length)
        input = StreamInput(source)
        input.limit = expansion
        input.limitError = ForeignLimits.expansionError(of: file, file.path)
        // libarchive reads the first header when it is opened.
        input.beginKeeping()
        reader = try LibarchiveReader.open(.tar, from: input, file: file)
    }

    private func expansionError(_ path: HostPath) -> CapsuleError {
        ForeignLimits.expansionError(of: file, path)
    }

    func next() throws(CapsuleError) -> ForeignEntry? {
        if ForeignLimits.headerLength < expansion - min(expansion, input.count) {
            input.limit = input.count + ForeignLimits.headerLength
            input.limitError = CapsuleError(
                .limit, "an entry's headers are longer than \(ForeignLimits.headerLength >> 20) MiB", path: file.path)
        }
        input.beginKeeping()
        // The data after the archive's end may be long.
        defer { input.stopKeeping() }
        guard let header = try reader.nextHeader() else {
            try checkEnd()
            return nil
        }
        input.limit = expansion
        let names = try input.withKept(from: reader.headerPosition) { (headers) throws(CapsuleError) in
            try PaxNames(headers: headers, file: file.path)
        }
        guard let names else { throw CapsuleError(.damaged, "can't find an entry's headers", path: file.path) }
        var entry = try entry(header, names)
        entry.attributes = LibarchiveAttributes.read(header)
        input.limitError = expansionError(entry.path)
        // Rejects a size that is too large before any byte of the content is read.
        let isWhole = archive_entry_sparse_count(header) == 0
        if entry.kind == .file, isWhole, entry.size > expansion - min(expansion, input.count) {
            throw expansionError(entry.path)
        }
        return entry
    }

    /// Throws an error if a single block of zeros is followed by other data. An archive ends with two such blocks, so bytes
    /// were lost there, and the rest must not be left out silently.
    private func checkEnd() throws(CapsuleError) {
        let start = reader.headerPosition
        let place = try input.withKept(from: start) { (bytes) throws(CapsuleError) in TarEnd.loneZeroBlock(in: bytes) }
        guard let place = place.flatMap({ $0 }) else { return }
        throw CapsuleError(
            .damaged, "a single zero block at byte \(start + UInt64(place)) is followed by more data", path: file.path
        )
    }

    private func entry(_ header: OpaquePointer, _ names: PaxNames) throws(CapsuleError) -> ForeignEntry {
        guard let name = names.path ?? Self.bytes(archive_entry_pathname(header)) else {
            throw CapsuleError(.damaged, "an entry's name can't be read", path: file.path)
        }
        let kind = try kind(header, isHardLink: archive_entry_hardlink(header) != nil, HostPath(name))
        let size = archive_entry_size(header)
        guard size >= 0 else { throw CapsuleError(.damaged, "its size is negative", path: HostPath(name)) }
        let seconds = Int64(archive_entry_mtime(header))
        return ForeignEntry(
            name: name, kind: kind, mode: kind == .link ? .link : FileMode(archive_entry_perm(header)),
            modified: Timestamp(seconds: seconds, nanoseconds: UInt32(clamping: archive_entry_mtime_nsec(header)))
                ?? Timestamp(seconds: seconds),
            size: kind == .file ? UInt64(size) : 0,
            target: target(of: header, kind, names))
    }

    private func target(of header: OpaquePointer, _ kind: ForeignEntry.Kind, _ names: PaxNames) -> [UInt8] {
        switch kind {
        case .hardLink: names.linkPath ?? Self.bytes(archive_entry_hardlink(header)) ?? []
        case .link: names.linkPath ?? Self.bytes(archive_entry_symlink(header)) ?? []
        case .directory, .file, .special: []
        }
    }

    private func kind(_ header: OpaquePointer, isHardLink: Bool, _ path: HostPath) throws(CapsuleError) -> ForeignEntry.Kind {
        if isHardLink { return .hardLink }
        switch FileTypeBits(archive_entry_filetype(header)) {
        case .directory: return .directory
        case .file: return .file
        case .link: return .link
        case .special(let kind): return .special(kind)
        case .none: throw CapsuleError(.refused, "is of an unknown kind, or part of a file", path: path)
        }
    }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
        guard let text else { return nil }
        var count = 0
        while text[count] != 0 { count += 1 }
        return [UInt8](UnsafeRawBufferPointer(start: text, count: count))
    }

    func readContent(
        of entry: ForeignEntry, _ body: (UInt64, UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        // A hard link may repeat the bytes of its file.
        if entry.kind != .file {
            while try reader.nextBlock(of: entry.path) != nil {}
            return
        }
        try forEachBlock(of: entry, reader, body)
    }

    /// Reads to the end of a compressed stream, so that its checksum is checked, and checks that the archive has an end.
    func finish() throws(CapsuleError) {
        guard isCompressed else { return }
        input.limit = expansion
        input.limitError = expansionError(file.path)
        do throws(CapsuleError) {
            while !(try input.read().isEmpty) {}
        } catch {
            // The error is about data after the end of the archive.
            guard error.code == .trailing else { throw error }
        }
        // A stream that is truncated between two members or frames looks complete, but its tar has no end marker.
        guard input.count > reader.headerPosition else {
            throw CapsuleError(.damaged, "the archive is truncated: its end is missing", path: file.path)
        }
    }
}

/// Reads the extended attributes of a tar entry, under their portable names.
private enum LibarchiveAttributes {
    /// Reads `SCHILY.xattr` and `LIBARCHIVE.xattr` records. If both have a name, their values are the same.
    static func read(_ entry: OpaquePointer) -> ExtendedAttributes.Reading {
        var reading = ExtendedAttributes.Reading()
        var remaining = ExtendedAttribute.maximumTotalLength
        var names: Set<[UInt8]> = []
        archive_entry_xattr_reset(entry)
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        while case .ok = LibarchiveStatus(archive_entry_xattr_next(entry, &name, &value, &count)) {
            guard let name, let portable = portableName(name), names.insert(portable).inserted else { continue }
            let length = value == nil ? 0 : count
            guard length <= ExtendedAttribute.maximumValueLength, length + portable.count <= remaining,
                portable.count <= ForeignLimits.attributeNameLength
            else {
                reading.tooLong.append(Array(portable.prefix(ForeignLimits.attributeNameLength)))
                continue
            }
            remaining -= length + portable.count
            let bytes = [UInt8](UnsafeRawBufferPointer(start: value, count: length))
            reading.attributes.append(ExtendedAttribute(name: portable, value: bytes))
        }
        reading.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return reading
    }

    private static func portableName(_ name: UnsafePointer<CChar>) -> [UInt8]? {
        var count = 0
        while name[count] != 0 { count += 1 }
        let portable = ExtendedAttribute.portableName(fromLinux: [UInt8](UnsafeRawBufferPointer(start: name, count: count)))
        return portable.isEmpty || ExtendedAttribute.isDenied(portable) ? nil : portable
    }
}
