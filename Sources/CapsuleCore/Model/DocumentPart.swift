package import CapsulePropertyList

/// A dictionary in an overlay, a rules file or an expectation, with its place in the document.
package struct DocumentPart {
    package let entries: PlistDictionary
    package let place: PlistPointer

    package init(_ entries: PlistDictionary, at place: PlistPointer) {
        self.entries = entries
        self.place = place
    }

    /// - Parameters:
    ///   - alsoKnown: keys that are allowed in another place. The error for one of them has the hint that `elsewhere` returns.
    ///   - elsewhere: returns the hint for a key of `alsoKnown`.
    package func checkKeys(
        _ known: [String], alsoKnown: [String] = [], elsewhere: (String) -> String = { _ in "" }
    ) throws(OverlayError) {
        for key in entries.keys where !known.contains(key.string) {
            let hint =
                alsoKnown.contains(key.string)
                ? elsewhere(key.string)
                : Suggestions(for: key.string, among: known).hint ?? "use \(Suggestions.alternatives(known))"
            throw OverlayError(.invalid, "unknown key \(key.quoted)", in: place.appending(key), hint: hint)
        }
    }

    package func string(_ key: PlistString) throws(OverlayError) -> String? {
        try value(key, "string") { $0.string?.string }
    }

    package func array(_ key: PlistString) throws(OverlayError) -> [PlistValue]? {
        try value(key, "array") { $0.array }
    }

    package func dictionary(_ key: PlistString) throws(OverlayError) -> PlistDictionary? {
        try value(key, "dictionary") { $0.dictionary }
    }

    package func part(_ element: PlistValue, _ key: PlistString, _ number: Int) throws(OverlayError) -> DocumentPart {
        guard let entries = element.dictionary else { throw error(key, number, "must be a dictionary") }
        return DocumentPart(entries, at: place.appending(key).appending(index: number))
    }

    package func pointer(_ text: String, _ key: PlistString, _ number: Int? = nil) throws(OverlayError) -> PlistPointer {
        do throws(PlistError) {
            return try PlistPointer(text)
        } catch {
            let at = place.appending(key)
            throw OverlayError(.invalid, error.message, in: number.map { at.appending(index: $0) } ?? at, hint: error.hint)
        }
    }

    package func missing(_ key: PlistString, hint: String) -> OverlayError {
        OverlayError(.invalid, "\(key.quoted) is missing", in: place, hint: hint)
    }

    package func error(_ key: PlistString, _ message: String, hint: String? = nil) -> OverlayError {
        OverlayError(.invalid, "\(key): \(message)", in: place.appending(key), hint: hint)
    }

    package func error(_ key: PlistString, _ number: Int, _ message: String) -> OverlayError {
        OverlayError(.invalid, "element \(number) of \(key) \(message)", in: place.appending(key).appending(index: number))
    }

    package func error(_ key: PlistString, _ inner: PlistString, _ message: String, hint: String? = nil) -> OverlayError {
        OverlayError(.invalid, "\(inner.quoted) of \(key) \(message)", in: place(key, inner), hint: hint)
    }

    package func place(_ steps: PlistString...) -> PlistPointer { PlistPointer(steps: place.steps + steps) }
    package func place(_ steps: [PlistString]) -> PlistPointer { PlistPointer(steps: place.steps + steps) }

    private func value<Wanted>(
        _ key: PlistString, _ type: String, _ payload: (PlistValue) -> Wanted?
    ) throws(OverlayError) -> Wanted? {
        guard let value = entries[key] else { return nil }
        guard let wanted = payload(value) else {
            throw error(key, "must be \(type == "array" ? "an" : "a") \(type), not \(value.typeNameWithArticle)")
        }
        return wanted
    }
}

extension DocumentPart {
    private static let kinds: [PlistString: String] = [
        "CapsuleConflicts": "a conflicts file", "CapsuleExpectation": "an expectation", "CapsuleOverlay": "an overlay document",
        "CapsuleRules": "a rules file",
    ]

    /// Creates a part from a whole document. The key `mark` holds the document's version, which must be 1.
    package init(_ document: PlistValue, marked mark: PlistString) throws(OverlayError) {
        guard let entries = document.dictionary else {
            throw OverlayError(.invalid, "the document must be a dictionary, not \(document.typeNameWithArticle)", in: .root)
        }
        self.init(entries, at: .root)
        guard let version = entries[mark] else {
            if let kind = Self.kinds[mark], let other = Self.kinds.first(where: { entries[$0.key] != nil }) {
                throw OverlayError(.invalid, "this is \(other.value), not \(kind)", in: .root)
            }
            throw missing(mark, hint: "write \(mark) = 1")
        }
        guard version.integer == 1 else {
            throw OverlayError(
                .unsupported, "\(mark) is \(version.line(length: 64, values: 4)), but only version 1 is supported",
                in: place(mark))
        }
    }
}
