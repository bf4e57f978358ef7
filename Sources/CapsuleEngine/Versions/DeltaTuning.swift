import CapsuleArchive

/// The lengths that a delta works with.
struct DeltaTuning: Sendable {
    /// How much of each content is in memory at once.
    var windowLength = 2 << 20
    var chunkSizes = Chunker.Sizes.standard
    /// A shorter stretch of old content is not worth an extent. Also what is compared at once where contents run in parallel.
    var shortestMatch: UInt64 = 4 << 10

    static let standard = DeltaTuning()
}
