import CapsuleCore
import CapsuleEngine

/// A pattern of tree paths on the command line.
enum PathPattern {
    /// Reads a pattern that speaks of whole paths.
    static func glob(_ pattern: [UInt8]) throws(CapsuleError) -> Glob {
        if let problem = Glob.problem(ofPath: pattern) {
            throw CapsuleError(
                .usage, problem, path: HostPath(pattern),
                hint: "write it as 'capsule ls' does; a directory goes with all that is in it")
        }
        do throws(GlobError) {
            return try Glob(pattern)
        } catch {
            throw CapsuleError(.usage, "is no pattern: \(error.message)", path: HostPath(pattern))
        }
    }
}
