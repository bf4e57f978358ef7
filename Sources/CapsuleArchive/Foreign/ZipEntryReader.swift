import CArchive
import CDeflate
import CapsuleCore
import CapsuleSystem

/// Reads a zip: names, kinds and offsets from its directory, content and times with libarchive.
final class ZipEntryReader: ForeignEntryReader {
    private let file: CapsuleFile
    private let directory: ZipDirectory
    private let reader: LibarchiveReader?
    private var position = 0
    private static let storedMethod: UInt16 = 0
    private static let deflateMethod: UInt16 = 8

    init(_ file: CapsuleFile) throws(CapsuleError) {
        self.file = file
        directory = try ZipDirectory(of: file)
        var total: UInt64 = 0
        for entry in directory.entries {
            let (sum, overflow) = total.addingReportingOverflow(entry.size)
            total = sum
            guard !overflow, total <= ForeignLimits.expansion(of: file.length) else {
                throw ForeignLimits.expansionError(of: file, HostPath(entry.name))
            }
        }
        // libarchive does not recognize an empty zip.
        reader =
            directory.entries.isEmpty
            ? nil
            : try LibarchiveReader.open(
                .zip, from: FileInput(file, from: directory.start, length: directory.end - directory.start),
                file: file)
    }

    func next() throws(CapsuleError) -> ForeignEntry? {
        guard position < directory.entries.count, let reader else { return nil }
        let known = directory.entries[position]
        position += 1
        let path = HostPath(known.name)
        var entry = ForeignEntry(
            name: known.portableName, kind: known.kind, mode: known.kind == .link ? .link : known.mode,
            hasMode: known.hasMode, modified: .epoch)
        switch known.kind {
        case .file: entry.size = known.size
        case .link: entry.target = try target(of: known)
        case .directory, .hardLink, .special:
            guard known.size == 0 else { throw CapsuleError(.damaged, "has content, but is not a file", path: path) }
        }
        let header: OpaquePointer?
        do throws(CapsuleError) {
            header = try reader.nextHeader()
        } catch {
            throw error.errno != nil ? error : CapsuleError(error.code, error.message, path: path)
        }
        guard let header, known.kind != .file || archive_entry_size(header) == Int64(clamping: known.size) else {
            throw CapsuleError(.damaged, "its header and the zip's directory don't match", path: path)
        }
        let seconds = Int64(archive_entry_mtime(header))
        entry.modified =
            Timestamp(seconds: seconds, nanoseconds: UInt32(clamping: archive_entry_mtime_nsec(header)))
            ?? Timestamp(seconds: seconds)
        return entry
    }

    func readContent(
        of entry: ForeignEntry, _ body: (UInt64, UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        guard entry.kind == .file, let reader else { return }
        var count: UInt64 = 0
        try forEachBlock(of: entry, reader) { (offset, bytes) throws(CapsuleError) in
            count += UInt64(bytes.count)
            try body(offset, bytes)
        }
        guard count == entry.size else { throw CapsuleError(.damaged, "its content is truncated", path: entry.path) }
    }

    func finish() throws(CapsuleError) {
        guard let reader, try reader.nextHeader() != nil else { return }
        throw CapsuleError(.damaged, "the zip has entries that its directory does not count", path: file.path)
    }

    /// Returns the target of a link, which is the entry's content. It is read without libarchive, which would convert it.
    private func target(of entry: ZipDirectoryEntry) throws(CapsuleError) -> [UInt8] {
        let path = HostPath(entry.name)
        let limit = UInt64(TreeEntry.maximumTargetLength)
        guard entry.size <= limit, entry.stored <= 2 * limit else {
            throw CapsuleError(.limit, "its target is longer than \(limit) bytes", path: path)
        }
        let stored = try file.read(at: entry.dataOffset, count: Int(entry.stored))
        let target: [UInt8]?
        switch entry.method {
        case Self.storedMethod: target = entry.stored == entry.size ? stored : nil
        case Self.deflateMethod: target = Self.inflate(stored, count: Int(entry.size))
        default: throw CapsuleError(.unreadable, "its target has an unknown compression method", path: path)
        }
        guard let target, target.withUnsafeBytes({ libdeflate_crc32(0, $0.baseAddress, $0.count) }) == entry.crc else {
            throw CapsuleError(.damaged, "its target is damaged", path: path)
        }
        return target
    }

    private static func inflate(_ stored: [UInt8], count: Int) -> [UInt8]? {
        guard let inflater = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(inflater) }
        let buffer = ByteBuffer(capacity: count)
        var isWhole = false
        buffer.append(capacity: count) { room in
            stored.withUnsafeBytes { bytes in
                isWhole =
                    libdeflate_deflate_decompress(inflater, bytes.baseAddress, bytes.count, room.baseAddress, count, nil)
                    == LIBDEFLATE_SUCCESS
            }
            return isWhole ? count : 0
        }
        return isWhole ? Array(buffer.bytes) : nil
    }
}
