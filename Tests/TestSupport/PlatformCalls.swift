package import Foundation

#if canImport(xlocale)
import xlocale
#endif

/// The system's calls and fields that are spelled differently on Linux and on Apple's systems. What a file system takes is no
/// question of the system: ``FileSystemTraits`` finds it out.
package enum PlatformCalls {
    /// Whether this is one of Apple's systems, where the product itself does something else: attributes keep their names, apps
    /// have containers, `xcrun` may be there.
    #if canImport(Darwin)
    package static let isApple = true
    #else
    package static let isApple = false
    #endif

    // MARK: Sockets

    /// A socket that a file can be made of.
    static func streamSocket() -> Int32 {
        #if canImport(Darwin)
        socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    // MARK: Locales

    /// The calling thread in another locale, as far as the system has it.
    package static func withLocale(_ name: String, _ body: () throws -> Void) throws {
        guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return }
        let before = uselocale(locale)
        defer {
            _ = uselocale(before)
            freelocale(locale)
        }
        try body()
    }

    /// Whether the thread's characters are UTF-8.
    package static var isUTF8: Bool { String(cString: nl_langinfo(Int32(CODESET))).uppercased().contains("UTF-8") }
}

extension stat {
    /// When the content was changed last: seconds, and nanoseconds of the next one.
    package var modified: (seconds: Int, nanoseconds: Int) {
        get {
            #if canImport(Darwin)
            (st_mtimespec.tv_sec, st_mtimespec.tv_nsec)
            #else
            (st_mtim.tv_sec, st_mtim.tv_nsec)
            #endif
        }
        set {
            #if canImport(Darwin)
            (st_mtimespec.tv_sec, st_mtimespec.tv_nsec) = newValue
            #else
            (st_mtim.tv_sec, st_mtim.tv_nsec) = newValue
            #endif
        }
    }
}
