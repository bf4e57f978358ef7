import CSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is known of the terminal.
package enum Terminal {
    /// isatty(3)
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// The terminal's width in columns (TIOCGWINSZ); nil where there is none.
    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.columns > 0 ? $0.columns : nil } }

    /// The terminal's height in lines (TIOCGWINSZ); nil where there is none.
    package static func height(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.lines > 0 ? $0.lines : nil } }

    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// getenv(3), for the variables that design or system give a meaning.
    package static func environment(_ name: String) -> [UInt8]? {
        guard let value = getenv(name) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// All variables of the environment that are UTF-8; of a name that comes twice the first counts, as with getenv(3).
    package static var wholeEnvironment: [String: String] {
        var values: [String: String] = [:]
        guard var place = capsule_environment() else { return values }
        while let entry = place.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            if let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: bytes[..<equals], as: UTF8.self),
                let value = String(validating: bytes[(equals + 1)...], as: UTF8.self), values[name] == nil
            {
                values[name] = value
            }
            place += 1
        }
        return values
    }

    /// How many processors may be used (sysconf(3)).
    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Seconds since 1970, now.
    package static var now: Int64 { Int64(time(nil)) }
}
