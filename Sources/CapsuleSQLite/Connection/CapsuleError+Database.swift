package import CapsuleCore
import CapsuleSystem

extension CapsuleError {
    /// Creates an error from a database's failure that does not concern its content.
    package init(_ error: DatabaseError) {
        if let underlying = error.underlying {
            self.init(underlying)
        } else if error.code == .interrupted {
            self.init(.interrupted, error.message)
        } else {
            self.init(error.message)
        }
    }
}
