package import CapsuleCore

/// Returns the error that a body throws; nil if it throws none.
package func failure<Outcome>(of body: () throws -> Outcome) -> CapsuleError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? CapsuleError ?? CapsuleError("\(error)")
    }
}
