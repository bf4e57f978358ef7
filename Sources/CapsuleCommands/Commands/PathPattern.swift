import CapsuleCore
import CapsuleEngine

/// A pattern of tree paths on the command line.
enum PathPattern {
    /// Reads a pattern that speaks of whole paths.
    static func glob(_ pattern: [UInt8]) throws(CapsuleError) -> Glob {
        let slash = UInt8(ascii: "/")
        if pattern.first == slash || pattern.last == slash {
            throw CapsuleError(
                .usage, "matches no path: paths neither begin nor end with '/'", path: HostPath(pattern),
                hint: "a directory goes with all that is in it")
        }
        do throws(GlobError) {
            return try Glob(pattern)
        } catch {
            throw CapsuleError(.usage, "is no pattern: \(error.message)", path: HostPath(pattern))
        }
    }
}
