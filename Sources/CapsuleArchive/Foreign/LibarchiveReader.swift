import CArchive
import CapsuleCore
import CapsuleSystem

/// A libarchive reader with one format and at most one filter. It never runs external programs.
/// Every result of libarchive other than success is an error, with one exception: a name that it could not convert to the
/// locale's encoding. The names that it converts are read separately: see ``PaxNames`` and ``ZipDirectory``.
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

    static func open(
        _ format: Format, filter: Filter = .none, from input: any LibarchiveInput, file: CapsuleFile
    ) throws(CapsuleError) -> LibarchiveReader {
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
        // On Apple systems libarchive would read AppleDouble files as attributes of the file that follows.
        archive_read_set_format_option(handle, "tar", "mac-ext", nil)
        archive_read_set_format_option(handle, "zip", "mac-ext", nil)
        callbacks.attach(to: handle)
        switch LibarchiveStatus(archive_read_open1(handle)) {
        case .ok, .warning: return reader
        case .end, .damaged, .failed, .fatal:
            throw callbacks.failure
                ?? CapsuleError(
                    .unreadable,
                    "is not a container: neither a capsule nor a complete .tar, .tar.gz, .tar.zst, .tar.xz, .tar.bz2, .zip or .ipa",
                    path: file.path)
        }
    }

    /// Throws an error for a filter that libarchive was built without. It returns a warning then, because it would run a program.
    private func require(_ code: Int32, _ name: String) throws(CapsuleError) {
        guard case .ok = LibarchiveStatus(code) else {
            throw CapsuleError(
                .unreadable, "is compressed with \(name), which this build of libarchive does not support", path: path)
        }
    }

    func nextHeader() throws(CapsuleError) -> OpaquePointer? {
        var next: OpaquePointer?
        // For a name that it can't convert libarchive returns a warning, unless errno is ENOMEM. So an earlier errno must not remain.
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

    private static func name(of entry: OpaquePointer?) -> HostPath? {
        guard let entry, let name = archive_entry_pathname(entry), name[0] != 0 else { return nil }
        return HostPath([UInt8](UnsafeRawBufferPointer(start: name, count: strlen(name))))
    }

    /// A range of an entry's bytes.
    struct Block {
        let offset: Int64
        let bytes: UnsafeRawBufferPointer
    }

    func nextBlock(of name: HostPath? = nil) throws(CapsuleError) -> Block? {
        var start: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        switch LibarchiveStatus(archive_read_data_block(handle, &start, &count, &offset)) {
        case .ok: return Block(offset: offset, bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        case .end: return nil
        case .warning, .damaged, .failed, .fatal: throw error(at: name ?? path)
        }
    }

    var headerPosition: UInt64 { UInt64(max(0, archive_read_header_position(handle))) }

    private func error(at path: HostPath) -> CapsuleError {
        if let failure = callbacks.failure { return failure }
        if callbacks.input.hasEnded { return CapsuleError(.damaged, "the archive is truncated", path: path) }
        let text = archive_error_string(handle).map { String(cString: $0) } ?? "unreadable"
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "unreadable"
        return CapsuleError(.damaged, line.asMessage, path: path)
    }

    #if canImport(Darwin)
    private static let fileFormat = EFTYPE
    #else
    /// ARCHIVE_ERRNO_FILE_FORMAT, which is not in a public header. With a warning it means that a name could not be converted.
    private static let fileFormat = EILSEQ
    #endif
}

/// The callbacks of libarchive. Their errors are stored here, because they can't be thrown through C.
private final class Callbacks {
    let input: any LibarchiveInput
    var failure: CapsuleError?

    init(_ input: any LibarchiveInput) {
        self.input = input
    }

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
            let input = Unmanaged<Callbacks>.fromOpaque(data).takeUnretainedValue().input
            return input.seek(count, from: .here) == nil ? 0 : count
        }
    }

    private func read(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
        do throws(CapsuleError) {
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
}

/// The result of a libarchive call. Its codes are interpreted only here.
enum LibarchiveStatus {
    case ok
    case warning
    case end
    /// The call failed, and libarchive could try again further on.
    case damaged
    /// The call failed, but the next entry may be readable.
    case failed
    /// The call failed, and so will all later ones.
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
