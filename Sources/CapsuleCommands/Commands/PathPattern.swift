import CapsuleCore
import CapsuleEngine

/// A pattern of tree paths on the command line.
enum PathPattern {
    /// Reads a pattern that speaks of whole paths.
    static func glob(_ pattern: [UInt8]) throws(CapsuleError) -> Glob {
        if let problem = Glob.problem(ofPath: pattern) {
            throw CapsuleError(
                .usage, problem, path: HostPath(pattern),
                hint: "write the path as 'capsule ls' prints it; a directory includes everything in it")
        }
        do throws(GlobError) {
            return try Glob(pattern)
        } catch {
            throw CapsuleError(.usage, "not a valid pattern: \(error.message)", path: HostPath(pattern))
        }
    }
}
