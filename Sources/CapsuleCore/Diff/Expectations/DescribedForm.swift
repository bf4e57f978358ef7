import CapsulePropertyList

/// How an expectation names what it has seen once, so that it knows it again.
struct DescribedForm {
    /// A scalar, a pattern or a dictionary of what is asked.
    let value: PlistValue
    /// Whether nothing else fits.
    let isExact: Bool

    /// A text of more bytes is not in a document that people read.
    private static let longestText = 128
    /// Reals from here on, with a fraction, are taken for times: seconds since 2001 or since 1970, and milliseconds.
    private static let times = 1e8..<1e13

    /// The form of a value; nil for one that is missing, long or secret, and of one that no document can hold.
    init?(_ shown: ShownValue?) {
        switch shown {
        case .value(let value)?: self.init(value)
        case .dataHead?, .external?: self.init(is: .data)
        case nil, .textHead?, .hidden?: return nil
        }
    }

    private init(_ value: PlistValue, isExact: Bool) {
        self.value = value
        self.isExact = isExact
    }

    private init?(_ value: PlistValue) {
        switch value {
        case .string(let text): self.init(text)
        case .integer, .boolean: self.init(value, isExact: true)
        case .real(let real) where Self.times.contains(real) && real != real.rounded(): self.init(is: .real)
        case .real: self.init(value, isExact: true)
        case .date: self.init(is: .date)
        // Most data that is short is a UUID or a digest.
        case .data: self.init(is: .data)
        case .null: self.init(is: .null)
        case .uid, .array, .dictionary: return nil
        }
    }

    private init?(_ text: PlistString) {
        if MatchForm.Shape.uuid.fits(.value(.string(text))) {
            self.init(is: .uuid)
        } else if MatchForm.Shape.containerPath.fits(.value(.string(text))) {
            self.init(is: .containerPath)
        } else {
            guard text.utf8.count <= Self.longestText else { return nil }
            let parts = GeneratedText(Array(text.utf8), isUUIDOnly: true)
            if parts.isGenerated {
                self.init(["Like": .string(PlistString(String(decoding: parts.glob, as: UTF8.self)))], isExact: false)
            } else {
                self.init(.string(text), isExact: true)
            }
        }
    }

    private init(is shape: MatchForm.Shape) {
        self.init(["Is": .string(PlistString(shape.rawValue))], isExact: false)
    }

    /// A pattern for a path.
    init(pattern name: GeneratedText) {
        let glob = name.glob
        if let text = String(validating: glob, as: UTF8.self) {
            self.init(.string(PlistString(text)), isExact: !name.isGenerated)
        } else {
            // No document holds other bytes: any one stands for each of them.
            let bytes = glob.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
            self.init(.string(PlistString(String(decoding: bytes, as: UTF8.self))), isExact: false)
        }
    }
}
