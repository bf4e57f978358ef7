// Since the SDK of macOS 26, Darwin does not have xlocale.h any more.
#if canImport(xlocale)
import xlocale
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The C locale for one thread: in any other libarchive converts names, and folds NFD into NFC.
enum PlainLocale {
    /// Made once and never freed.
    nonisolated(unsafe) private static let locale: locale_t? = newlocale(LC_CTYPE_MASK, "C", nil)

    /// Runs `body` with the calling thread in the C locale; what the process set is left alone, and is back afterwards
    /// (uselocale(3)).
    static func run<Outcome, Failure: Error>(_ body: () throws(Failure) -> Outcome) throws(Failure) -> Outcome {
        guard let locale else { return try body() }
        let before = uselocale(locale)
        defer { _ = uselocale(before) }
        return try body()
    }
}
