/// Finds the first element of an XML text, to tell property lists from pages and drawings.
struct XMLProlog {
    private var rest: ArraySlice<UInt8>

    /// The name of the first element behind declarations, comments and the document type, in UTF-8; nil where none begins.
    /// (XML 1.0, section 2.8)
    static func rootName(of text: ArraySlice<UInt8>) -> String? {
        var prolog = XMLProlog(rest: text)
        return prolog.rootName()
    }

    private mutating func rootName() -> String? {
        while true {
            rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            if rest.starts(with: "<!--".utf8), pass("-->") { continue }
            if rest.starts(with: "<?".utf8), pass("?>") { continue }
            if rest.starts(with: "<!".utf8), passType() { continue }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            let name = rest.dropFirst().prefix { byte in
                byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte < 0x7F
            }
            return name.isEmpty || name.count > 64 ? nil : String(decoding: name, as: UTF8.self)
        }
    }

    /// Passes all up to a mark's end; false if it does not come.
    private mutating func pass(_ mark: String) -> Bool {
        let mark = Array(mark.utf8)
        while rest.count >= mark.count {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Passes a document type and the declarations that it may hold in brackets.
    private mutating func passType() -> Bool {
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }) else { return false }
        let isPlain = rest[end] == UInt8(ascii: ">")
        rest = rest[(end + 1)...]
        return isPlain || pass("]") && pass(">")
    }
}
