extension PlistPointer {
    /// Reads a key path of plutil, `CFBundleURLTypes.0.CFBundleURLName`: `\.` is a dot in a key, `\\` a backslash.
    ///
    /// - Throws: `syntax` for an empty key, as in `a..b`, and for a `/`, since whoever writes one means a JSON Pointer.
    public init(keyPath text: String) throws(PlistError) {
        let slash = UInt8(ascii: "/")
        guard !text.utf8.contains(slash) else {
            throw PlistError(
                .syntax, "\(PlistString(text).quoted) is not a key path",
                hint: "start a pointer with '/': '/\(text)'; '~1' is a slash in a key")
        }
        let dot = UInt8(ascii: ".")
        let backslash = UInt8(ascii: "\\")
        var steps: [[UInt8]] = [[]]
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == backslash, let next = rest.first, next == dot || next == backslash {
                steps[steps.count - 1].append(next)
                rest.removeFirst()
            } else if byte == dot {
                steps.append([])
            } else {
                steps[steps.count - 1].append(byte)
            }
        }
        guard !steps.contains(where: \.isEmpty) else {
            throw PlistError(
                .syntax, "\(PlistString(text).quoted) has an empty key between dots",
                hint: "write '\\.' for a dot in a key, or a pointer that starts with '/'")
        }
        try self.init(checking: steps.map { PlistString(String(decoding: $0, as: UTF8.self)) })
    }

    /// Reads a place in a value as people write it: a JSON Pointer, which begins with `/` or is empty; a path of PlistBuddy, which
    /// begins with `:`; or anything else, a key of the root as a whole, or a key path of plutil.
    ///
    /// - Throws: `syntax` for what is none of these.
    public init(_ text: String, in value: PlistValue) throws(PlistError) {
        switch text.utf8.first {
        case nil, UInt8(ascii: "/"): try self.init(text)
        case UInt8(ascii: ":"): try self.init(plistBuddy: text)
        default:
            // A key such as 'com.example.setting' is written as it is.
            let key = PlistString(text)
            if value.dictionary?[key] != nil { self.init(steps: [key]) } else { try self.init(keyPath: text) }
        }
    }
}
