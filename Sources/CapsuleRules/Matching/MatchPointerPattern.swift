import CapsuleCore
package import CapsulePropertyList

/// A pattern for pointers. Its steps are like those of a pointer; `*` matches one step or any part of one, and `**` matches any
/// number of steps. A pattern with a leading `/` begins at the root, any other begins anywhere. The empty pattern matches only the
/// root.
package struct MatchPointerPattern: Hashable, Sendable {
    private enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        /// A step with `*` in it.
        case like(NamePattern)
        case deep
    }

    private let steps: [Step]
    let words: [PlistString]
    private let isAnchored: Bool

    /// The keys of the steps `[KEY=VALUE]`; nil for a step `[=VALUE]`.
    private let selectorKeys: Set<PlistString?>

    /// The only place that matches; nil for a pattern that may match others.
    let literal: [PlistString]?

    /// - Throws: `syntax` for a `~` that is neither `~0` nor `~1`, and for too many steps.
    init(_ text: String) throws(PlistError) {
        let isAnchored = text.isEmpty || text.beginsWithSlash
        var steps: [Step] = isAnchored ? [] : [.deep]
        let words = try PlistPointer(isAnchored ? text : "/" + text).steps
        self.words = words
        self.isAnchored = isAnchored
        for word in words {
            switch word.string {
            case "*": steps.append(.any)
            case "**": if steps.last != .deep { steps.append(.deep) }
            default:
                let pattern = NamePattern(word)
                steps.append(pattern.literal.map { .literal($0) } ?? .like(pattern))
            }
        }
        self.steps = steps
        let literals: [PlistString] = steps.compactMap { if case .literal(let key) = $0 { key } else { nil } }
        literal = literals.count == steps.count ? literals : nil
        selectorKeys = Set(
            words.compactMap { word in
                guard word.string.hasPrefix("["), let end = word.string.firstIndex(of: "=") else { return nil }
                let key = word.string[word.string.index(after: word.string.startIndex)..<end]
                return .some(key.isEmpty ? nil : PlistString(String(key)))
            })
    }

    /// Returns the names, besides its index, by which the pattern may select an element of an array.
    func selectors(of element: PlistValue) -> [PlistString] { selectorKeys.compactMap { element.selector(key: $0) } }

    /// Returns true if all steps of a place match. The time is at most proportional to the product of both lengths.
    package func matches(_ place: [PlistString]) -> Bool {
        if let literal { return literal == place }
        return DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
    }

    /// Returns true if any of the documents may have a value at a matching place.
    func mayBe(in documents: [PlistValue]) -> Bool {
        let search = NestedMatchSearch(self, fitsKinds: { _ in true }, fitsValues: { _, _ in true })
        return matches([])
            || documents.contains { search.find(below: [], old: .init(value: nil), new: .init(value: $0)) != .nothing }
    }

    /// Returns suggestions for a place that no document has: its first key that doesn't exist is replaced by similar ones.
    func suggestions(in documents: [PlistValue]) -> [String] {
        guard var steps = literal else { return [] }
        var values = documents
        for (number, step) in steps.enumerated() {
            let inner = values.compactMap { NestedMatchSearch.value(in: $0, at: [step]) }
            guard inner.isEmpty else {
                values = inner
                continue
            }
            let keys = Set(values.flatMap { $0.dictionary?.keys.prefix(Self.keyLimit).map(\.string) ?? [] })
            return Suggestions(for: step.string, among: keys.sorted()).words.map {
                steps[number] = PlistString($0)
                return PlistPointer(steps: steps).description
            }
        }
        return []
    }

    private static let keyLimit = 10_000

    func mayMatch(below place: [PlistString]) -> Bool {
        if let literal { return literal.starts(with: place) }
        return !reached(by: place).isEmpty
    }

    func leadsBelow(_ place: [PlistString]) -> Bool {
        if let literal { return literal.count > place.count && literal.starts(with: place) }
        return reached(by: place).contains { $0 < steps.count }
    }

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

/// A pattern for names. `*` matches any run of characters. `\*` is an asterisk, and `\\` a backslash; no other character is special.
package struct NamePattern: Hashable, Sendable {
    /// The text before the first `*`, between each two of them, and after the last. A name without `*` is one part.
    private let parts: [PlistString]

    init(_ text: PlistString) {
        var parts: [[UInt8]] = [[]]
        var rest = Array(text.string.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "*") {
                parts.append([])
            } else if byte == UInt8(ascii: "\\"), let next = rest.first, GeneratedText.isSpecialInName(next) {
                rest.removeFirst()
                parts[parts.count - 1].append(next)
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        self.parts = parts.map { PlistString(String(decoding: $0, as: UTF8.self)) }
    }

    /// The only name that matches; nil if others may.
    var literal: PlistString? { parts.count == 1 ? parts[0] : nil }

    package func matches(_ name: PlistString) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return parts.first == name }
        return name.withUTF8 { name in
            guard name.count >= first.utf8.count + last.utf8.count, name.starts(with: first.utf8) else { return false }
            let end = name.count - last.utf8.count
            guard name[end...].elementsEqual(last.utf8) else { return false }
            var at = first.utf8.count
            // Each part is matched as early as possible, because a later match leaves less for the rest.
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
