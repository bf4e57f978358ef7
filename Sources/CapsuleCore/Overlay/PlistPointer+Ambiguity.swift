// Helpers for ``Overlay/notRepeatable``: places and values that may interfere with each other.

import CapsulePropertyList

extension PlistOperation.Action {
    /// The source of a move or a copy.
    var source: PlistPointer? {
        switch self {
        case .move(let from), .copy(let from): from
        default: nil
        }
    }
}

extension PlistString {
    /// True if the step is an index when it is applied to an array.
    var isIndex: Bool { !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// True if the step is a place when it is applied to an array: an index, the end, or a text that begins like a selector.
    var mayBeInArray: Bool { isIndex || self == "-" || utf8.first == UInt8(ascii: "[") }

    /// True if the step may be a place without a dictionary: in an array, or in the content of data.
    var mayLeadElsewhere: Bool { mayBeInArray || NestedCoding.steps.contains(self) }

    /// Returns true if both steps may lead to the same value: an element has an index, and may have several selectors.
    func mayBe(_ other: PlistString) -> Bool {
        if self == other { return true }
        switch (selector, other.selector) {
        case (nil, nil): return false
        case (let own?, let others?): return own.key != others.key
        case (_?, nil): return other.isIndex
        case (nil, _?): return isIndex
        }
    }

    /// The parts of a selector of an array's element: `[KEY=TEXT]`, `[=TEXT]`; nil for another step.
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
    /// True if the place may be an array's: an index, its end or a selector. A dictionary may have such a key, too, so this errs on
    /// the safe side.
    var mayEndInArray: Bool {
        guard let last else { return false }
        return last == "-" || last.isIndex || last.selector != nil
    }

    /// Returns true if one of the two places may be the other, or inside it.
    func mayTouch(_ other: PlistPointer) -> Bool { zip(steps, other.steps).allSatisfy { $0.mayBe($1) } }

    /// The selectors of the pointer, for messages.
    var selectors: String { steps.filter { $0.selector != nil }.map(\.string).joined(separator: "', '") }
}

extension PlistValue {
    /// Returns the value at the end of a path through dictionaries; nil if the path does not exist.
    func value(along steps: ArraySlice<PlistString>) -> PlistValue? {
        var value = self
        for step in steps {
            guard let next = value.dictionary?[step] else { return nil }
            value = next
        }
        return value
    }

    /// Returns true if there is an array on a path through dictionaries, or at its end.
    func hasArray(along steps: ArraySlice<PlistString>) -> Bool {
        var value = self
        for step in steps {
            if value.array != nil { return true }
            guard let next = value.dictionary?[step] else { return false }
            value = next
        }
        return value.array != nil
    }

    /// Returns true if there is a value that is not a dictionary on a path through dictionaries, or at its end.
    func hasLeaf(along steps: ArraySlice<PlistString>) -> Bool {
        var value = self
        for step in steps {
            guard let entries = value.dictionary else { return true }
            guard let next = entries[step] else { return false }
            value = next
        }
        return value.dictionary == nil
    }

    /// Returns true if both have an array at the same place.
    func sharesArray(with other: PlistValue) -> Bool {
        switch (self, other) {
        case (.array, .array): return true
        case (.dictionary(let own), .dictionary(let others)):
            return own.contains { key, value in others[key].map { value.sharesArray(with: $0) } == true }
        default: return false
        }
    }
}
