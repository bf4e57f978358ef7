/// Repairs what is wrong with a document that is read leniently, and records a warning for each repair.
final class PlistRepairs {
    private let limit: Int
    private(set) var warnings: [PlistError] = []

    init(limit: Int = 0) {
        self.limit = max(limit, 0)
    }

    func add(_ error: @autoclosure () -> PlistError, readAs reading: String?) {
        guard warnings.count < limit else {
            if warnings.count == limit { warnings.append(PlistError(.syntax, "more such errors follow")) }
            return
        }
        var warning = error()
        if let reading { warning.hint = "it is read as \(reading)" }
        warnings.append(warning)
    }
}

extension PlistRepairs? {
    /// Records an error as a warning. Throws it if the document is not read leniently.
    func accept(_ error: @autoclosure () -> PlistError, readAs reading: String? = nil) throws(PlistError) {
        guard let self else { throw error() }
        self.add(error(), readAs: reading)
    }

    /// Returns the character with a number, after accepting the error for one that is not allowed. If there is none, it is U+FFFD.
    func scalar(
        _ number: UInt32, isAllowed: Bool = true, _ error: @autoclosure () -> PlistError
    ) throws(PlistError) -> Unicode.Scalar {
        let scalar = Unicode.Scalar(number)
        if scalar == nil || !isAllowed { try accept(error(), readAs: scalar == nil ? "U+FFFD" : nil) }
        return scalar ?? "\u{FFFD}"
    }

    /// Returns the real next to a decimal integer beyond 64 bits; nil for other texts, and if the document is not read leniently.
    func real(forInteger text: UnsafeRawBufferPointer, at location: @autoclosure () -> PlistLocation) -> PlistValue? {
        guard let self, case .outOfRange = XMLPlistScalars.integer(text), case .value(let real) = XMLPlistScalars.real(text)
        else { return nil }
        self.add(
            PlistError(.outOfRange, "the integer is out of range", at: location()),
            readAs: "the real \(real)")
        return .real(real)
    }
}
