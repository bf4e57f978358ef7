import CapsuleArchive

/// The archives that a container is written as.
public enum ExportForm: String, Hashable, Sendable, CaseIterable {
    /// A tar archive, compressed by gzip.
    case tarGzip = "tar.gz"
    /// A tar archive, compressed by zstd.
    case tarZstd = "tar.zst"
    /// A zip archive.
    case zip

    /// The codec of a tar's compression; nil for a zip.
    var codec: PackOptions.Codec? {
        switch self {
        case .tarGzip: .gzip
        case .tarZstd: .zstd
        case .zip: nil
        }
    }
}
