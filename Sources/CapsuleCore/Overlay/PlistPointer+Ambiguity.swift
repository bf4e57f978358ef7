// What the analysis of repetition asks of places and values.

import CapsulePropertyList

extension PlistOperation.Action {
    /// Where a move or a copy takes from.
    var source: PlistPointer? {
        switch self {
        case .move(let from), .copy(let from): from
        default: nil
        }
    }
}

extension PlistString {
    /// Whether it is an index if it is taken on an array.
    var isIndex: Bool { !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// Whether it is a place if it is taken on an array: an index, the end, or what begins as a selector does.
    var mayBeInArray: Bool { isIndex || self == "-" || utf8.first == UInt8(ascii: "[") }

    /// Whether it is a place in something else if there is no dictionary: in an array, or in what data holds.
    var mayLeadElsewhere: Bool { mayBeInArray || NestedCoding.steps.contains(self) }

    /// Whether both may lead to the same value: an element has an index, and may have several selectors.
    func mayBe(_ other: PlistString) -> Bool {
        if self == other { return true }
        switch (selector, other.selector) {
        case (nil, nil): return false
        case (let own?, let others?): return own.key != others.key
        case (_?, nil): return other.isIndex
        case (nil, _?): return isIndex
        }
    }

    /// Its parts if it is a selector on an array: `[KEY=TEXT]`, `[=TEXT]`.
    var selector: (key: PlistString?, text: PlistString)? {
        let bytes = Array(utf8)
        guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"),
            let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        let key = PlistString(String(decoding: bytes[1..<equals], as: UTF8.self))
        return (key.isEmpty ? nil : key, PlistString(String(decoding: bytes[(equals + 1)..<(bytes.count - 1)], as: UTF8.self)))
    }
}

extension PlistPointer {
    /// Whether the place may be an array's: an index, its end or a selector. A dictionary may have such a key too, so this may
    /// be wrong on the safe side.
    var mayEndInArray: Bool {
        guard let last else { return false }
        return last == "-" || last.isIndex || last.selector != nil
    }

    /// Whether one of the two places may be the other, or in it.
    func mayTouch(_ other: PlistPointer) -> Bool { zip(steps, other.steps).allSatisfy { $0.mayBe($1) } }

    /// The selectors in it, for messages.
    var selectors: String { steps.filter { $0.selector != nil }.map(\.string).joined(separator: "', '") }
}

extension PlistValue {
    /// The value at the end of a way through dictionaries.
    func value(along steps: ArraySlice<PlistString>) -> PlistValue? {
        var value = self
        for step in steps {
            guard let next = value.dictionary?[step] else { return nil }
            value = next
        }
        return value
    }

    /// Whether there is an array before a way through dictionaries ends, or at its end.
    func hasArray(along steps: ArraySlice<PlistString>) -> Bool {
        var value = self
        for step in steps {
            if value.array != nil { return true }
            guard let next = value.dictionary?[step] else { return false }
            value = next
        }
        return value.array != nil
    }

    /// Whether a way through dictionaries meets something else before it ends, or at its end.
    func hasLeaf(along steps: ArraySlice<PlistString>) -> Bool {
        var value = self
        for step in steps {
            guard let entries = value.dictionary else { return true }
            guard let next = entries[step] else { return false }
            value = next
        }
        return value.dictionary == nil
    }

    /// Whether both have an array at the same place.
    func sharesArray(with other: PlistValue) -> Bool {
        switch (self, other) {
        case (.array, .array): return true
        case (.dictionary(let own), .dictionary(let others)):
            return own.contains { key, value in others[key].map { value.sharesArray(with: $0) } == true }
        default: return false
        }
    }
}
