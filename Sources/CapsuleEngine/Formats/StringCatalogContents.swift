import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleRules

/// Xcode's string catalogs, `.xcstrings`: JSON that is compared by string and language.
struct StringCatalogContents: ContentFormat {
    private let json = PlistContents(isJSON: true)

    var word: String { "xcstrings" }
    var absence: String { "not a string catalog" }
    var isPropertyList: Bool { true }
    var isMergeable: Bool { true }

    func isLikely(_ head: ContentHead) -> Bool {
        // Keys are sorted, so both are at the beginning.
        head.isJSON && head.bytes.contains(StringCatalog.sourceLanguage) && head.bytes.contains(StringCatalog.strings)
    }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> PlistContents.Value {
        let document = try json.read(content, side)
        guard StringCatalog.isCatalog(document.value) else { throw .unfit(side, reason: absence) }
        return document
    }

    /// A unit, which is a text and its state, is one value.
    func compare(
        _ old: PlistContents.Value, _ new: PlistContents.Value, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        try PlistContents.compare(old, new, comparison, as: word) { StringCatalog.isUnit($0.steps) }
    }

    func tell(_ value: PlistContents.Value, isNew: Bool, _ sink: any ChangeSink) { json.tell(value, isNew: isNew, sink) }
    func list(_ value: PlistContents.Value, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        try json.list(value, sink, depth: depth)
    }

    func digest(of value: PlistContents.Value) -> ContentDigest? { json.digest(of: value) }

    func merge(
        _ files: MergedContents, _ settings: ContentMerging, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> ContentMerging.Result? {
        try json.merge(files, settings, &decisions)
    }

    /// Returns `greeting (de): "Hallo" → "Servus", needs review → translated`.
    func line(for change: PlistChange, _ text: (PlistValue) -> String) -> String? {
        let steps = change.pointer.steps.map(\.string)
        guard steps.count > 1, steps[0] == "strings", change.secrets.isEmpty else { return nil }
        let name = Self.shown(steps[1])
        if steps.count == 2 {
            guard let string = (change.new ?? change.old)?.dictionary, change.name != "modified" else { return nil }
            return Self.joined(Self.parts(of: string, text)).map { "\(name): \($0)" } ?? name
        }
        guard steps[2] == "localizations", steps.count > 3 else { return Self.property(change, of: name, steps, text) }
        let isUnit = StringCatalog.isUnit(change.pointer.steps)
        var inner = steps[4...].filter { $0 != "variations" && $0 != "substitutions" }
        if isUnit { inner.removeLast() }
        let place = [Self.shown(steps[3])] + (inner.isEmpty ? [] : [Self.shown(inner.joined(separator: " "))])
        let label = "\(name) (\(place.joined(separator: ", ")))"
        switch change.kind {
        case .added(let value), .deleted(let value):
            guard let unit = isUnit ? Self.unit(value) : Self.plainUnit(value) else { return nil }
            return Self.joined([unit["value"].map(text), unit["state"].map(Self.word)]).map { "\(label): \($0)" }
        case .modified(let old, let new):
            guard isUnit, let before = Self.unit(old), let after = Self.unit(new) else { return nil }
            return "\(label): \(Self.change(before, after, text))"
        case .order, .encoding: return nil
        }
    }

    private static func shown(_ name: String) -> String { QuotedBytes(Array(name.utf8)).text }

    /// Returns `greeting, comment: "a" → "b"`.
    private static func property(
        _ change: PlistChange, of name: String, _ steps: [String], _ text: (PlistValue) -> String
    ) -> String? {
        guard steps.count == 3 else { return nil }
        let label = "\(name), \(shown(steps[2])): "
        switch change.kind {
        case .added(let value), .deleted(let value): return label + text(value)
        case .modified(let old, let new): return label + "\(text(old)) \u{2192} \(text(new))"
        case .order, .encoding: return nil
        }
    }

    /// Returns the texts of a string by language, and everything else about it: `"Hallo" (de, needs review), comment: "a"`.
    private static func parts(of string: PlistDictionary, _ text: (PlistValue) -> String) -> [String] {
        var parts: [String] = []
        for (key, value) in string {
            guard key == "localizations", let languages = value.dictionary else {
                parts.append("\(shown(key.string)): \(text(value))")
                continue
            }
            for (language, value) in languages {
                let name = shown(language.string)
                guard let unit = plainUnit(value), let translation = unit["value"] else {
                    parts.append("(\(name)): \(text(value))")
                    continue
                }
                let state = unit["state"].flatMap { $0 == "translated" ? nil : ", \(word($0))" } ?? ""
                parts.append("\(text(translation)) (\(name)\(state))")
            }
        }
        return parts
    }

    /// Returns the unit of a language that has nothing else; nil for variations.
    private static func plainUnit(_ language: PlistValue) -> PlistDictionary? {
        guard let parts = language.dictionary, parts.count == 1 else { return nil }
        return parts["stringUnit"].flatMap(unit)
    }

    /// Returns a unit; nil if it has more than a text and a state, so that a line would not show all of it.
    private static func unit(_ value: PlistValue) -> PlistDictionary? {
        value.dictionary.flatMap { unit in unit.keys.allSatisfy { $0 == "value" || $0 == "state" } ? unit : nil }
    }

    private static func change(
        _ old: PlistDictionary, _ new: PlistDictionary, _ text: (PlistValue) -> String
    ) -> String {
        func part(_ key: PlistString, _ text: (PlistValue) -> String) -> String? {
            let (before, after) = (old[key], new[key])
            if before == after { return nil }
            return "\(before.map(text) ?? "none") \u{2192} \(after.map(text) ?? "none")"
        }
        return joined([part("value", text), part("state", word)]) ?? ""
    }

    private static func joined(_ parts: [String?]) -> String? {
        let parts = parts.compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Returns a state as Xcode's editor shows it: `needs review` for `needs_review`.
    private static func word(_ state: PlistValue) -> String {
        guard let state = state.string?.string else { return state.line() }
        return shown(String(state.map { $0 == "_" ? " " : $0 }))
    }
}

extension [UInt8] {
    /// Returns true if the bytes contain a JSON string.
    fileprivate func contains(_ name: PlistString) -> Bool {
        let wanted = Array("\"\(name.string)\"".utf8)
        var rest = self[...]
        while let start = rest.firstIndex(of: wanted[0]) {
            rest = rest[start...]
            if rest.starts(with: wanted) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
