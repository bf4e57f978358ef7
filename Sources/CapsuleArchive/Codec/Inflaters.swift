import CDeflate
import Synchronization

/// Decompressors of libdeflate to use again. A new one is mostly tables to clear and to fill, which takes longer than most values of a
/// database need.
enum Inflaters {
    /// The addresses of those that nobody uses now: at most one for each search that ever ran beside others. They are never freed.
    private static let idle = Mutex<[UInt]>([])

    /// Calls a function with a decompressor that nobody else uses meanwhile.
    /// - Returns: what the function returns; nil if no decompressor can be allocated.
    static func withOne<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        let known = idle.withLock { $0.popLast() }.flatMap { OpaquePointer(bitPattern: $0) }
        guard let inflater = known ?? libdeflate_alloc_decompressor() else { return nil }
        defer { idle.withLock { $0.append(UInt(bitPattern: inflater)) } }
        return body(inflater)
    }
}
