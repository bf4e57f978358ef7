import CapsuleArchive

/// The archives that a container is written as.
public enum ExportForm: String, Hashable, Sendable, CaseIterable {
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
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
