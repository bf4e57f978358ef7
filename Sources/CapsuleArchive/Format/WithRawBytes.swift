extension Array where Element == UInt8 {
    /// `withUnsafeBytes` that keeps the type of what `body` throws.
    @inline(__always)
    func withRawBytes<Outcome, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let outcome: Result<Outcome, Failure> = withUnsafeBytes { bytes in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
