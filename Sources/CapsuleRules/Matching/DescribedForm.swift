import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// The form in which an expectation names a value or a path that it has seen once, so that later runs match it.
struct DescribedForm {
    /// A scalar, a pattern, or a dictionary with the keys of a form.
    let value: PlistValue
    let isExact: Bool

    /// The most bytes of a text in a document. People read these documents, so longer texts are left out.
    private static let longestText = 128
    /// The most bytes of data that `--loose` takes for generated: a UUID, a digest or a token.
    static let longestGenerated = 32
    /// The reals that are treated as times if they have a fraction: seconds since 2001 or 1970, or milliseconds.
    private static let times = 1e8..<1e13

    /// Creates the form of a value; nil for no value, a long text, a UID, an array or a dictionary.
    ///
    /// - Parameters:
    ///   - hidden: the value with its secrets hidden. A secret becomes its digest.
    ///   - isOld: true for a value that is the same in every run.
    init?(_ shown: DisplayValue?, _ hidden: DisplayValue?, isOld: Bool = false) {
        switch shown {
        case let shown? where shown != hidden && !isOld && MatchForm.Shape.uuid.fits(shown): self.init(is: .uuid)
        case .value(let value)? where shown == hidden: if isOld { self.init(exactly: value) } else { self.init(value) }
        case let shown?:
            if let digest = MatchForm.digest(of: shown) {
                self.init(digest: digest, is: MatchForm.Shape(ofDigested: shown))
            } else if shown == hidden, MatchForm.Shape.data.fits(shown) {
                self.init(is: .data)
            } else {
                return nil
            }
        case nil: return nil
        }
    }

    private init?(exactly value: PlistValue) {
        switch value {
        case .string(let text) where text.utf8.count <= Self.longestText: self.init(value, isExact: true)
        case .real: self.init(value, isExact: true)
        case .string(let text): self.init(digest: SHA256Hasher.digest(of: Array(text.utf8)), is: .string)
        case .data(let bytes): self.init(digest: SHA256Hasher.digest(of: bytes), is: .data)
        case .date(let seconds): self.init(date: seconds, "Equals")
        default: self.init(value)
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
        case .real(let real) where Self.times.contains(real) && real != real.rounded():
            self.init(["Is": "real", "Min": .real(Self.times.lowerBound), "Max": .real(Self.times.upperBound)], isExact: false)
        case .real: self.init(value, isExact: true)
        case .date: self.init(is: .date)
        case .data where MatchForm.Shape.uuid.fits(.value(value)): self.init(is: .uuid)
        case .null: self.init(is: .null)
        case .array, .dictionary, .data, .uid:
            guard let digest = MatchForm.digest(of: .value(value)) else { return nil }
            self.init(digest: digest, is: MatchForm.Shape(ofDigested: .value(value)))
        }
    }

    private init?(_ text: PlistString) {
        if MatchForm.Shape.uuid.fits(.value(.string(text))) {
            self.init(is: .uuid)
        } else if MatchForm.Shape.containerPath.fits(.value(.string(text))) {
            self.init(containerPath: text)
        } else if text.utf8.count > Self.longestText {
            self.init(digest: SHA256Hasher.digest(of: Array(text.utf8)), is: .string)
        } else {
            let parts = GeneratedText(Array(text.utf8), isUUIDOnly: true)
            if parts.isGenerated {
                self.init(["Like": .string(PlistString(String(decoding: parts.glob, as: UTF8.self)))], isExact: false)
            } else {
                self.init(.string(text), isExact: true)
            }
        }
    }

    /// Creates the form of a date, as a text, because JSON has no dates.
    init(date seconds: Double, _ key: PlistString, is shape: MatchForm.Shape = .date) {
        var entries: PlistDictionary = ["Is": .string(PlistString(shape.rawValue))]
        if let text = DateSpelling.spell(seconds) { entries[key] = .string(PlistString(text)) }
        self.init(.dictionary(entries), isExact: entries.count > 1 && key == "Equals" && shape == .date)
    }

    private init(digest: ContentDigest, is shape: MatchForm.Shape?) {
        var form: PlistDictionary = ["Digest": .string(PlistString(digest.hex))]
        if let shape { form["Is"] = .string(PlistString(shape.rawValue)) }
        self.init(.dictionary(form), isExact: true)
    }

    /// Creates the form of a path into a container: what comes before the path, and what follows the last UUID, which is that of the
    /// container or of a file in it. Between the two is the place of the container, which is another one on each machine.
    private init(containerPath text: PlistString) {
        let bytes = Array(text.utf8)
        let parts = GeneratedText(bytes, isUUIDOnly: true).parts
        var tail: [UInt8] = []
        for part in parts.reversed() {
            guard case .literal(let bytes) = part else { break }
            tail = Glob(literal: bytes).pattern + tail
        }
        let before = Glob(literal: Array(bytes.prefix { $0 != RelativePath.slash })).pattern
        let start = parts.count > 1 ? before + Array("/*".utf8) : []
        self.init(
            [
                "Is": .string(PlistString(MatchForm.Shape.containerPath.rawValue)),
                "Like": .string(PlistString(String(decoding: start + tail, as: UTF8.self))),
            ], isExact: false)
    }

    init(is shape: MatchForm.Shape) {
        self.init(["Is": .string(PlistString(shape.rawValue))], isExact: false)
    }

    init(pattern name: GeneratedText) {
        let glob = name.glob
        if let text = String(validating: glob, as: UTF8.self) {
            self.init(.string(PlistString(text)), isExact: !name.isGenerated)
        } else {
            // A document can't hold a path that is not UTF-8. `?` stands for each byte of it that is not ASCII.
            let bytes = glob.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
            self.init(.string(PlistString(String(decoding: bytes, as: UTF8.self))), isExact: false)
        }
    }
}
