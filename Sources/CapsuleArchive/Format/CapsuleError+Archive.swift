package import CapsuleCore
import CapsuleSystem

extension CapsuleError {
    /// Creates an error from one of an archive.
    ///
    /// - Parameter hint: a suggestion instead of the one that belongs to the failure.
    package init(_ error: ArchiveError, hint: String? = nil) {
        if let underlying = error.underlying {
            self.init(underlying, hint: hint)
        } else {
            self.init(error.code == .noSuchVersion ? .notFound : .failure, error.message, path: error.path, hint: hint)
        }
    }

    /// Runs `body` and converts its archive errors to `CapsuleError`.
    package static func wrappingArchive<Result: ~Copyable>(_ body: () throws(ArchiveError) -> Result) throws(CapsuleError)
        -> Result
    {
        do {
            return try body()
        } catch {
            throw CapsuleError(error)
        }
    }
}
