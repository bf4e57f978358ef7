import CArchive

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
