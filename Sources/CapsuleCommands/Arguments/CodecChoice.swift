/// The compression of a new capsule: `--codec`.
enum CodecChoice: String, WordChoice {
    case gzip
    case zstd

    /// The levels that `--level` may name.
    var levels: ClosedRange<Int> {
        switch self {
        case .gzip: 1...12
        case .zstd: 1...19
        }
    }
}
