package import Foundation

#if canImport(xlocale)
import xlocale
#endif

/// The system calls and fields that have different spellings on Linux and on Apple's systems. What a file system supports does not depend
/// on the system: see ``FileSystemTraits``.
package enum PlatformCalls {
    /// True on Apple's systems, where the product itself behaves differently: attributes keep their names, apps have containers, and
    /// `xcrun` may exist.
    #if canImport(Darwin)
    package static let isApple = true
    #else
    package static let isApple = false
    #endif

    // MARK: Sockets

    /// Opens a socket that can be bound to a file.
    static func streamSocket() -> Int32 {
        #if canImport(Darwin)
        socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    // MARK: Locales

    /// Runs `body` with another locale on the calling thread; does nothing if the system does not have the locale.
    package static func withLocale(_ name: String, _ body: () throws -> Void) throws {
        guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return }
        let before = uselocale(locale)
        defer {
            _ = uselocale(before)
            freelocale(locale)
        }
        try body()
    }

    /// True if the thread's locale uses UTF-8.
    package static var isUTF8: Bool { String(cString: nl_langinfo(Int32(CODESET))).uppercased().contains("UTF-8") }
}

extension stat {
    /// The modification time: seconds, and nanoseconds of the next one.
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
