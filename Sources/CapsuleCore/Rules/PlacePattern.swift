import CapsulePropertyList

/// The pointers that a match is about: steps as a pointer has them, `*` for one step or any part of one, `**` for any number
/// of steps. With a leading `/` it begins at the root, else anywhere; the empty pattern is the root alone.
struct PlacePattern: Hashable, Sendable {
    private enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        /// A step with `*` in it.
        case like(NamePattern)
        case deep
    }

    private let steps: [Step]

    /// The steps as they were written, unescaped.
    let words: [PlistString]

    /// Whether it begins at the root.
    private let isAnchored: Bool

    /// The keys of its steps `[KEY=VALUE]`, nil for that of `[=VALUE]`.
    private let selectorKeys: Set<PlistString?>

    /// The one place that fits; nil for a pattern that more may fit.
    let literal: [PlistString]?

    /// - Throws: `syntax` for a `~` that is neither `~0` nor `~1`, and for too many steps.
    init(_ text: String) throws(PlistError) {
        let isAnchored = text.isEmpty || text.hasPrefix("/")
        var steps: [Step] = isAnchored ? [] : [.deep]
        let words = try PlistPointer(isAnchored ? text : "/" + text).steps
        self.words = words
        self.isAnchored = isAnchored
        for word in words {
            switch word.string {
            case "*": steps.append(.any)
            case "**": if steps.last != .deep { steps.append(.deep) }
            case let text where text.utf8.contains(UInt8(ascii: "*")): steps.append(.like(NamePattern(word)))
            default: steps.append(.literal(word))
            }
        }
        self.steps = steps
        let isLiteral = steps.allSatisfy { if case .literal = $0 { true } else { false } }
        literal = isLiteral ? words : nil
        selectorKeys = Set(
            words.compactMap { word in
                guard word.string.hasPrefix("["), let end = word.string.firstIndex(of: "=") else { return nil }
                let key = word.string[word.string.index(after: word.string.startIndex)..<end]
                return .some(key.isEmpty ? nil : PlistString(String(key)))
            })
    }

    /// Whether it has steps that stand for any number of others.
    var isDeep: Bool { steps.contains(.deep) }

    /// The first of ``words`` that is a key which a document lacks where it would have to be, with the keys that are there; nil
    /// behind a step that is a pattern.
    func missingKey(in document: PlistValue) -> (word: Int, keys: [PlistString])? {
        var value = document
        for (number, word) in words.enumerated() {
            if number == 0, !isAnchored, word == "**" { continue }
            if word.string.utf8.contains(UInt8(ascii: "*")) { return nil }
            switch value {
            case .dictionary(let entries):
                guard let next = entries[word] else { return (number, Array(entries.keys)) }
                value = next
            case .array(let elements):
                guard let next = element(word, of: elements) else { return nil }
                value = next
            default:
                return nil
            }
        }
        return nil
    }

    /// The element of an array that a step names by its index or by a key.
    private func element(_ word: PlistString, of elements: [PlistValue]) -> PlistValue? {
        if let index = Int(word.string), elements.indices.contains(index) { return elements[index] }
        return elements.first { selectors(of: $0).contains(word) }
    }

    /// The pattern with another key in place of one of ``words``.
    func text(with key: String, at word: Int) -> String {
        var other = words
        other[word] = PlistString(key)
        let text = PlistPointer(steps: other).description
        return isAnchored ? text : String(text.dropFirst())
    }

    /// The names, besides its index, that the pattern may have for an element of an array.
    func selectors(of element: PlistValue) -> [PlistString] { selectorKeys.compactMap { element.selector(key: $0) } }

    /// Whether all steps of a place fit, in time linear in both.
    func matches(_ place: [PlistString]) -> Bool {
        if let literal { return literal == place }
        return DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
    }

    /// Whether a place may fit that begins with these steps.
    func mayMatch(below place: [PlistString]) -> Bool {
        if let literal { return literal.starts(with: place) }
        return !reached(by: place).isEmpty
    }

    /// Whether a place may fit that begins with these steps and has more.
    func leadsBelow(_ place: [PlistString]) -> Bool {
        if let literal { return literal.count > place.count && literal.starts(with: place) }
        return reached(by: place).contains { $0 < steps.count }
    }

    /// How far the pattern may have come with these steps.
    private func reached(by place: [PlistString]) -> Set<Int> {
        var reached = Set([0])
        for taken in place {
            var next: Set<Int> = []
            for start in reached {
                var step = start
                while step < steps.count, steps[step] == .deep {
                    next.insert(step)
                    step += 1
                }
                if step < steps.count, fits(steps[step], taken) { next.insert(step + 1) }
            }
            if next.isEmpty { return next }
            reached = next
        }
        return reached
    }

    private func fits(_ step: Step, _ taken: PlistString) -> Bool {
        switch step {
        case .literal(let key): key == taken
        case .any: true
        case .like(let pattern): pattern.matches(taken)
        case .deep: false
        }
    }
}

/// A name, or several: `*` stands for any run of characters, and nothing else is special.
struct NamePattern: Hashable, Sendable {
    /// The text before the first `*`, between each two, and after the last; a name without `*` is one part.
    private let parts: [PlistString]

    init(_ text: PlistString) {
        parts = text.string.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map { PlistString(String(Substring($0))) }
    }

    /// Whether the whole of a name fits.
    func matches(_ name: PlistString) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return parts.first == name }
        return name.withUTF8 { name in
            guard name.count >= first.utf8.count + last.utf8.count, name.starts(with: first.utf8) else { return false }
            let end = name.count - last.utf8.count
            guard name[end...].elementsEqual(last.utf8) else { return false }
            var at = first.utf8.count
            // Each part as early as it comes: a later place leaves less for the rest.
            for part in parts.dropFirst().dropLast() where !part.isEmpty {
                guard let found = part.withUTF8({ Self.find($0, in: name, from: at, to: end) }) else { return false }
                at = found + part.utf8.count
            }
            return true
        }
    }

    private static func find(
        _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from: Int, to end: Int
    ) -> Int? {
        guard end - from >= part.count else { return nil }
        return (from...end - part.count).first { at in part.indices.allSatisfy { part[$0] == text[at + $0] } }
    }
}
