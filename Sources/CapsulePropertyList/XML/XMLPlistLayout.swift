/// Where the values of an XML property list stand.
enum XMLPlistLayout {
    /// The layout of UTF-8 text without a byte order mark, and whether the declared encoding allows ASCII only.
    ///
    /// It goes over the tags once more after the reading, so that reading costs nothing for edits that are seldom made.
    /// What the reader has found to be well formed is not checked again.
    static func scan(_ text: UnsafeRawBufferPointer) throws(PlistError) -> (layout: TextLayout, isASCII: Bool) {
        var scanner = XMLPlistScanner(text)
        var builder = TextLayoutBuilder()
        while true {
            switch try scanner.next() {
            case .open(.plist, _), .close(.plist):
                break
            case .open(.key, let isEmpty):
                let start = scanner.tokenStart
                if !isEmpty { _ = try scanner.text(of: .key) }
                builder.key(start..<scanner.offset)
            case .open(let element, let isEmpty) where element == .dict || element == .array:
                builder.open(scanner.tokenStart..<scanner.offset)
                if isEmpty { builder.close(scanner.offset..<scanner.offset) }
            case .open(let element, let isEmpty):
                let start = scanner.tokenStart
                if !isEmpty { _ = try scanner.text(of: element) }
                builder.scalar(start..<scanner.offset)
            case .close:
                builder.close(scanner.tokenStart..<scanner.offset)
            case .end:
                return (builder.layout, scanner.declaresOtherEncoding)
            }
        }
    }
}
