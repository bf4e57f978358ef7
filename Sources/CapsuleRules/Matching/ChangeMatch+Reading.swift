package import CapsuleCore
package import CapsulePropertyList

extension ChangeMatch {
    static let keys = ["Path", "Pointer", "Table", "Column", "Row", "Attribute", "Kind", "From", "To", "Value"]

    /// Reads a match that is not part of a rule or an expectation.
    package init(_ value: PlistValue) throws(OverlayError) {
        guard let entries = value.dictionary else {
            throw OverlayError(.invalid, "a match must be a dictionary, not \(value.typeNameWithArticle)", in: .root)
        }
        try self.init(DocumentPart(entries, at: .root))
    }

    /// - Parameter others: the keys that the caller reads itself.
    init(_ part: DocumentPart, others: [String] = []) throws(OverlayError) {
        try part.checkKeys(Self.keys + others)
        let entries = PlistDictionary(part.entries.filter { Self.keys.contains($0.key.string) }.map { ($0.key, $0.value) })
        guard !entries.isEmpty else {
            throw OverlayError(.invalid, "the match is empty", in: part.place, hint: "set 'Path' to '**' to match everything")
        }
        if entries["To"] != nil, entries["Value"] != nil {
            throw OverlayError(.invalid, "'Value' is short for 'To': use only one of them", in: part.place.appending("Value"))
        }
        self.init(
            entries: entries, path: try Self.path(part), pointer: try Self.pointer(part), table: try Self.name(part, "Table"),
            column: try Self.name(part, "Column"), row: try Self.row(part),
            attribute: try Self.name(part, "Attribute"), kinds: try Self.kinds(part),
            from: try Self.form(part, "From"), to: try Self.form(part, entries["To"] == nil ? "Value" : "To"))
    }

    private static func path(_ part: DocumentPart) throws(OverlayError) -> Glob? {
        guard let text = try part.string("Path") else { return nil }
        if let problem = Glob.problem(ofPath: Array(text.utf8)) {
            throw part.error(
                "Path", problem, hint: "write it as 'capsule ls' prints it; 'Documents/**' matches all in a directory")
        }
        do throws(GlobError) {
            return try Glob(Array(text.utf8))
        } catch {
            throw part.error("Path", error.message, hint: "write '\\' before '*', '?', '[' or '\\' to match that character")
        }
    }

    private static func pointer(_ part: DocumentPart) throws(OverlayError) -> MatchPointerPattern? {
        guard let text = try part.string("Pointer") else { return nil }
        do throws(PlistError) {
            return try MatchPointerPattern(text)
        } catch {
            throw part.error("Pointer", error.message, hint: error.hint)
        }
    }

    private static func name(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> NamePattern? {
        guard let text = try part.string(key) else { return nil }
        guard !text.isEmpty else { throw part.error(key, "is empty", hint: "'*' matches any") }
        return NamePattern(PlistString(text))
    }

    private static func row(_ part: DocumentPart) throws(OverlayError) -> [RowTest] {
        guard let tests = try part.dictionary("Row") else { return [] }
        guard !tests.isEmpty else { throw part.error("Row", "names no column") }
        let inner = DocumentPart(tests, at: part.place("Row"))
        var row: [RowTest] = []
        for column in tests.keys {
            if let form = try form(inner, column) { row.append(RowTest(column: column, form: form)) }
        }
        return row
    }

    private static func kinds(_ part: DocumentPart) throws(OverlayError) -> ChangeKinds? {
        guard let value = part.entries["Kind"] else { return nil }
        func kind(_ word: PlistString, in place: PlistPointer) throws(OverlayError) -> ChangeKinds {
            guard let kind = ChangeKinds(word: word.string) else { throw unknownKind(word, in: place) }
            return kind
        }
        if let word = value.string { return try kind(word, in: part.place("Kind")) }
        guard let words = value.array else { throw part.error("Kind", "must be a string or an array of strings") }
        guard !words.isEmpty else { throw part.error("Kind", "is empty", hint: "omit it to match any kind") }
        var kinds: ChangeKinds = []
        for (number, word) in words.enumerated() {
            guard let word = word.string else { throw part.error("Kind", number, "must be a string") }
            kinds.formUnion(try kind(word, in: part.place("Kind").appending(index: number)))
        }
        return kinds
    }

    /// - Parameter others: the words that are valid besides the kinds.
    package static func unknownKind(_ word: PlistString, in place: PlistPointer, others: [String] = []) -> OverlayError {
        let words = ChangeKinds.words.map(\.word) + others
        return OverlayError(
            .invalid, "\(word.quoted) is not a kind", in: place,
            hint: Suggestions(for: word.string, among: words).hint ?? "expected \(Suggestions.alternatives(words))")
    }

    private static func form(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> MatchForm? {
        guard let value = part.entries[key] else { return nil }
        guard let entries = value.dictionary else { return MatchForm(equals: value) }
        return try MatchForm(DocumentPart(entries, at: part.place(key)))
    }
}

extension MatchForm {
    private static let keys = ["Is", "Like", "Min", "Max", "Equals", "Digest"]

    fileprivate init(_ part: DocumentPart) throws(OverlayError) {
        try part.checkKeys(Self.keys)
        guard !part.entries.isEmpty else {
            throw OverlayError(
                .invalid, "the form is empty", in: part.place, hint: "there are \(Suggestions.alternatives(Self.keys))")
        }
        if let word = try part.string("Is") {
            guard let shape = Shape(rawValue: word) else {
                let words = Shape.allCases.map(\.rawValue)
                throw part.error(
                    "Is", "\(PlistString(word).quoted) is not a form",
                    hint: Suggestions(for: word, among: words).hint ?? "there are \(Suggestions.alternatives(words))")
            }
            self.shape = shape
        }
        if let pattern = try part.string("Like") {
            do throws(GlobError) {
                like = try Glob(Array(pattern.utf8), isText: true)
            } catch {
                throw part.error("Like", error.message)
            }
        }
        minimum = try bound(part, "Min")
        maximum = try bound(part, "Max")
        equals = part.entries["Equals"].map { date($0) ?? $0 }
        if let hex = try part.string("Digest") {
            guard let digest = ContentDigest(hex: hex) else { throw part.error("Digest", "must be 64 hexadecimal digits") }
            self.digest = digest
        }
    }

    /// Returns the date that a text is, if the form is for dates. JSON has no dates.
    private func date(_ value: PlistValue) -> PlistValue? {
        guard shape == .date || shape == .recent, let text = value.string?.string else { return nil }
        return Array(text.utf8).withUnsafeBytes { DateSpelling.read($0) }.map { .date($0) }
    }

    private func bound(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> PlistValue? {
        guard let found = part.entries[key] else { return nil }
        let value = date(found) ?? found
        guard Self.isOrdered(value, value) else {
            throw part.error(key, "must be a number or a date, not \(value.typeNameWithArticle)")
        }
        return value
    }
}
