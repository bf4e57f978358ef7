import CArchive
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// libarchive's reader with one format and at most one filter enabled, and no programs behind it.
///
/// Any answer of libarchive's but a clean one is an error, with one exception: a name that it could not convert to the locale's
/// encoding. Names that it converts are read without it: see ``PaxNames`` and ``ZipDirectory``.
final class LibarchiveReader {
    enum Format { case tar, zip, raw }
    enum Filter { case none, xz, bzip2 }

    private let handle: OpaquePointer
    private let callbacks: Callbacks
    private let path: HostPath

    private init(adopting handle: OpaquePointer, _ callbacks: Callbacks, path: HostPath) {
        self.handle = handle
        self.callbacks = callbacks
        self.path = path
    }

    deinit {
        archive_read_free(handle)
    }

    /// - Throws: also for bytes that are of another format.
    static func open(
        _ format: Format, filter: Filter = .none, from input: any LibarchiveInput, file: CapsuleFile
    ) throws(ArchiveError) -> LibarchiveReader {
        guard let handle = archive_read_new() else { fatalError("no memory for an archive") }
        let callbacks = Callbacks(input)
        let reader = LibarchiveReader(adopting: handle, callbacks, path: file.path)
        switch format {
        case .tar: archive_read_support_format_tar(handle)
        case .zip: archive_read_support_format_zip_seekable(handle)
        case .raw: archive_read_support_format_raw(handle)
        }
        switch filter {
        case .none: archive_read_support_filter_none(handle)
        case .xz: try reader.require(archive_read_support_filter_xz(handle), "xz")
        case .bzip2: try reader.require(archive_read_support_filter_bzip2(handle), "bzip2")
        }
        // On Apple systems it would take AppleDouble files for attributes of the file that follows.
        archive_read_set_format_option(handle, "tar", "mac-ext", nil)
        archive_read_set_format_option(handle, "zip", "mac-ext", nil)
        callbacks.attach(to: handle)
        switch LibarchiveStatus(archive_read_open1(handle)) {
        case .ok, .warning: return reader
        case .end, .damaged, .failed, .fatal:
            throw callbacks.failure
                ?? ArchiveError(
                    .unreadable,
                    "is not a container: neither a capsule nor a complete .tar, .tar.gz, .tar.zst, .tar.xz, .tar.bz2, .zip or .ipa",
                    path: file.path)
        }
    }

    /// Filters that libarchive was built without answer with a warning: they would run a program.
    private func require(_ code: Int32, _ name: String) throws(ArchiveError) {
        guard case .ok = LibarchiveStatus(code) else {
            throw ArchiveError(
                .unreadable, "is compressed with \(name), which this build of libarchive does not support", path: path)
        }
    }

    /// Goes to the next entry; nil at the end.
    func nextHeader() throws(ArchiveError) -> OpaquePointer? {
        var next: OpaquePointer?
        // A name that it can't convert is a warning, unless errno says ENOMEM: it must not be an earlier call's.
        errno = 0
        switch LibarchiveStatus(archive_read_next_header(handle, &next)) {
        case .ok: break
        case .end: return nil
        case .warning:
            guard archive_errno(handle) == Self.fileFormat else { throw error(at: Self.name(of: next) ?? path) }
        case .damaged, .failed, .fatal: throw error(at: Self.name(of: next) ?? path)
        }
        return next
    }

    /// What is known of the name of an entry that can't be read.
    private static func name(of entry: OpaquePointer?) -> HostPath? {
        guard let entry, let name = archive_entry_pathname(entry), name[0] != 0 else { return nil }
        return HostPath([UInt8](UnsafeRawBufferPointer(start: name, count: strlen(name))))
    }

    /// A stretch of an entry's bytes.
    struct Block {
        let offset: Int64
        let bytes: UnsafeRawBufferPointer
    }

    /// The next stretch, good until the following call; nil at the entry's end.
    ///
    /// - Parameter name: what an error names.
    func nextBlock(of name: HostPath? = nil) throws(ArchiveError) -> Block? {
        var start: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        switch LibarchiveStatus(archive_read_data_block(handle, &start, &count, &offset)) {
        case .ok: return Block(offset: offset, bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        case .end: return nil
        case .warning, .damaged, .failed, .fatal: throw error(at: name ?? path)
        }
    }

    /// Where in the stream the header that was asked for last began.
    var headerPosition: UInt64 { UInt64(max(0, archive_read_header_position(handle))) }

    private func error(at path: HostPath) -> ArchiveError {
        if let failure = callbacks.failure { return failure }
        if callbacks.input.hasEnded { return ArchiveError(.damaged, "the archive is truncated", path: path) }
        let text = archive_error_string(handle).map { String(cString: $0) } ?? "unreadable"
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "unreadable"
        return ArchiveError(.damaged, line.asMessage, path: path)
    }

    #if canImport(Darwin)
    private static let fileFormat = EFTYPE
    #else
    /// ARCHIVE_ERRNO_FILE_FORMAT, which no public header has: with a warning, that a name could not be converted.
    private static let fileFormat = EILSEQ
    #endif
}

/// What libarchive calls back; errors wait here, since they don't pass through C.
private final class Callbacks {
    let input: any LibarchiveInput
    var failure: ArchiveError?

    init(_ input: any LibarchiveInput) {
        self.input = input
    }

    /// The reader owns both, and frees the archive first.
    func attach(to handle: OpaquePointer) {
        archive_read_set_callback_data(handle, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_read_callback(handle) { _, data, bytes in
            guard let data, let bytes else { return -1 }
            return Unmanaged<Callbacks>.fromOpaque(data).takeUnretainedValue().read(bytes)
        }
        guard input.seek(0, from: .here) != nil else { return }
        archive_read_set_seek_callback(handle) { _, data, offset, whence in
            guard let data else { return Int64(ARCHIVE_FATAL) }
            return Unmanaged<Callbacks>.fromOpaque(data).takeUnretainedValue().seek(offset, whence)
        }
        archive_read_set_skip_callback(handle) { _, data, count in
            guard let data, count >= 0 else { return 0 }
            return Unmanaged<Callbacks>.fromOpaque(data).takeUnretainedValue().skip(count)
        }
    }

    private func read(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
        do throws(ArchiveError) {
            let next = try input.read()
            bytes.pointee = next.baseAddress
            return next.count
        } catch {
            failure = error
            return Int(ARCHIVE_FATAL)
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let origin: SeekOrigin? =
            switch whence {
            case SEEK_SET: .start
            case SEEK_CUR: .here
            case SEEK_END: .end
            default: nil
            }
        return origin.flatMap { input.seek(offset, from: $0) } ?? Int64(ARCHIVE_FATAL)
    }

    /// How many bytes were skipped: all, or none.
    private func skip(_ count: Int64) -> Int64 {
        input.seek(count, from: .here) == nil ? 0 : count
    }
}

/// What a call of libarchive came to: the one place where its numbers are told apart.
enum LibarchiveStatus {
    case ok
    /// Done, but not as it should be.
    case warning
    /// There is no more.
    case end
    /// Not done; libarchive would try its luck further on.
    case damaged
    /// Not done; the next entry might do.
    case failed
    /// Not done, and nothing will be.
    case fatal

    init(_ code: some BinaryInteger) {
        switch Int32(truncatingIfNeeded: code) {
        case ARCHIVE_OK: self = .ok
        case ARCHIVE_WARN: self = .warning
        case ARCHIVE_EOF: self = .end
        case ARCHIVE_RETRY: self = .damaged
        case ARCHIVE_FAILED: self = .failed
        default: self = .fatal
        }
    }
}
