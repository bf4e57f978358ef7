#if canImport(xlocale)
import xlocale
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The calling thread in another locale, as far as the system has it.
enum ThreadLocale {
    static func run(_ name: String, _ body: () throws -> Void) throws {
        guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return }
        let before = uselocale(locale)
        defer {
            _ = uselocale(before)
            freelocale(locale)
        }
        try body()
    }

    /// Whether the thread's characters are UTF-8.
    static var isUTF8: Bool { String(cString: nl_langinfo(Int32(CODESET))).uppercased().contains("UTF-8") }
}
