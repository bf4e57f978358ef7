import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleRules

/// Xcode's string catalogs, `.xcstrings`: JSON that is compared by string and language.
struct StringCatalogContents: ContentFormat {
    private let json = PlistContents(isJSON: true)

    /// The most languages of one string that a line shows.
    private static let shownLanguages = 8

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

    func tell(_ value: PlistContents.Value, isNew: Bool, _ judge: EntryJudge) { json.tell(value, isNew: isNew, judge) }
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
            let languages = Self.languages(of: string, text)
            return languages.isEmpty ? name : "\(name): \(languages)"
        }
        guard steps[2] == "localizations", steps.count > 3 else { return Self.property(change, of: name, steps, text) }
        let isUnit = StringCatalog.isUnit(change.pointer.steps)
        var inner = steps[4...].filter { $0 != "variations" && $0 != "substitutions" }
        if isUnit { inner.removeLast() }
        let place = [Self.shown(steps[3])] + (inner.isEmpty ? [] : [Self.shown(inner.joined(separator: " "))])
        let label = "\(name) (\(place.joined(separator: ", ")))"
        func unit(_ value: PlistValue?) -> PlistDictionary? {
            isUnit ? value?.dictionary : value?.dictionary?["stringUnit"]?.dictionary
        }
        switch change.kind {
        case .added(let value), .deleted(let value):
            guard let unit = unit(value) else { return nil }
            return Self.unit(unit, text).map { "\(label): \($0)" }
        case .modified(let old, let new):
            guard isUnit, let before = unit(old), let after = unit(new) else { return nil }
            return Self.change(before, after, text).map { "\(label): \($0)" }
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

    private static func languages(of string: PlistDictionary, _ text: (PlistValue) -> String) -> String {
        let languages = string["localizations"]?.dictionary.map { $0.map { (key: $0.key, value: $0.value) } } ?? []
        let shown = languages.prefix(shownLanguages).map { language in
            let name = Self.shown(language.key.string)
            guard let value = language.value.dictionary?["stringUnit"]?.dictionary?["value"] else { return "(\(name), varied)" }
            return "\(text(value)) (\(name))"
        }
        let rest = languages.count - shown.count
        return (shown + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: ", ")
    }

    private static func unit(_ unit: PlistDictionary, _ text: (PlistValue) -> String) -> String? {
        joined([unit["value"].map(text), unit["state"].map(word)])
    }

    /// - Returns: nil if neither the text nor its state differs, but something else in the unit.
    private static func change(
        _ old: PlistDictionary, _ new: PlistDictionary, _ text: (PlistValue) -> String
    ) -> String? {
        func part(_ key: PlistString, _ text: (PlistValue) -> String) -> String? {
            let (before, after) = (old[key], new[key])
            if before == after { return nil }
            return "\(before.map(text) ?? "none") \u{2192} \(after.map(text) ?? "none")"
        }
        return joined([part("value", text), part("state", word)])
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
