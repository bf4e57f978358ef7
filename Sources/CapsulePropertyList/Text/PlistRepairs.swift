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

    /// Returns a document without NUL characters at its end, and in UTF-8 if it is in ISO-8859-1 or contains encoded surrogates.
    func bytes(of document: [UInt8]) -> [UInt8] {
        if document.starts(with: "bplist".utf8) { return document }
        return document.withUnsafeBytes { all in
            let encoding = PlistTextEncoding.detect(all).encoding
            var end = all.count
            let unit = encoding.unitBytes
            while end >= unit, all[end - unit..<end].allSatisfy({ $0 == 0 }) { end -= unit }
            let bytes = UnsafeRawBufferPointer(rebasing: all[..<end])
            if end < all.count {
                add(PlistError(.syntax, "NUL characters at the end, which are left out", at: .inText(all, at: end)), readAs: nil)
            }
            return encoding == .utf8 ? utf8(bytes) : Array(bytes)
        }
    }

    private func utf8(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // The scanner finds the declared encoding. It may fail after that.
        var scanner = XMLPlistScanner(bytes)
        _ = try? scanner.next()
        let declared = scanner.declaredEncoding
        let isLatin = declared.map { String(decoding: scanner.slice($0), as: UTF8.self).uppercased() == "ISO-8859-1" } ?? false
        let invalid = UTF8Sequence.firstInvalid(in: bytes, bytes.indices)
        guard let place = isLatin ? bytes.firstIndex(where: { $0 >= 0x80 }) : invalid else { return Array(bytes) }
        let hasSurrogates = !isLatin && bytes[place] == 0xED
        add(
            PlistError(.encoding, "not valid UTF-8", at: .inText(bytes, at: place)),
            readAs: hasSurrogates ? "U+FFFD" : "ISO-8859-1")
        if hasSurrogates { return Array(String(decoding: bytes, as: UTF8.self).utf8) }
        var text = Array(bytes)
        if isLatin, let declared { text.replaceSubrange(declared, with: "UTF-8".utf8) }
        return text.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
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
