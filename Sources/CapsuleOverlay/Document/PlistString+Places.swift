import CapsulePropertyList

extension PlistString {
    var isIndex: Bool { !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// True if the step is a place when it is applied to an array: an index, the end, or a text that begins like a selector.
    var mayBeInArray: Bool { isIndex || self == "-" || utf8.first == UInt8(ascii: "[") }

    /// True if the step may be a place without a dictionary: in an array, or in the content of data.
    var mayLeadElsewhere: Bool { mayBeInArray || NestedCoding.steps.contains(self) }

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
}
