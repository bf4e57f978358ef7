public import CapsulePropertyList

extension NoiseRules {
    /// The key that makes a property list a document of rules.
    public static let mark: PlistString = "CapsuleRules"
    private static let keys = ["CapsuleRules", "Classes", "Rules"]

    /// Reads a document of rules, strictly, and puts them behind what is built in.
    ///
    /// - Throws: `unsupported` for another version, `invalid` for all else that is wrong, with the place in the document.
    public init(_ document: PlistValue) throws(OverlayError) {
        let part = try DocumentPart(document, marked: Self.mark)
        try part.checkKeys(Self.keys)
        var classes: [NamedClass] = []
        let named = try part.dictionary("Classes") ?? PlistDictionary()
        for (name, text) in named {
            guard let text = text.string else { throw part.error("Classes", name, "must be a string") }
            classes.append(NamedClass(try Self.noise(name, in: part.place("Classes", name)), text.string))
        }
        guard let elements = try part.array("Rules") else {
            throw part.missing("Rules", hint: "an array of matches, each with a 'Class'")
        }
        var rules: [NoiseRule] = []
        for (number, element) in elements.enumerated() {
            let rule = try part.part(element, "Rules", number)
            // First what is misspelt: a 'Clas' is not a missing one.
            let match = try ChangeMatch(rule, others: ["Class", "Note"])
            guard let name = try rule.string("Class") else {
                throw rule.missing("Class", hint: "the class of the changes, or 'signal'")
            }
            let noise = try Self.noise(PlistString(name), in: rule.place("Class"))
            rules.append(NoiseRule(match, noise, note: try rule.string("Note")))
        }
        self.init(rules: rules, classes: classes)
    }

    private static func noise(_ name: PlistString, in place: PlistPointer) throws(OverlayError) -> NoiseClass {
        let isWord = name.withUTF8 { $0.allSatisfy { $0 > 0x20 && $0 != 0x7F } } && !name.isEmpty
        guard isWord else {
            throw OverlayError(
                .invalid, "\(name.quoted) is not a valid class name", in: place,
                hint: "write a word such as 'clock' or 'game-center'")
        }
        return NoiseClass(rawValue: name.string)
    }
}

extension DocumentPart {
    /// A whole document, known by a key that holds its version, which is 1.
    init(_ document: PlistValue, marked mark: PlistString) throws(OverlayError) {
        guard let entries = document.dictionary else {
            throw OverlayError(.invalid, "the document must be a dictionary, not \(document.typeNameWithArticle)", in: .root)
        }
        self.init(entries, at: .root)
        guard let version = entries[mark] else { throw missing(mark, hint: "write \(mark) = 1") }
        guard version.integer == 1 else {
            throw OverlayError(
                .unsupported, "\(mark) is \(version.line(length: 64, values: 4)), but only version 1 is supported",
                in: place(mark))
        }
    }
}
