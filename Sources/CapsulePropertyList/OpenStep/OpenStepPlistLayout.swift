/// Where the values of an OpenStep property list stand.
enum OpenStepPlistLayout {
    /// The layout of UTF-8 text without a byte order mark. Throws what reading it would throw, without a pointer; the
    /// insides of strings and data are not looked at.
    ///
    /// The root of a `.strings` file, a dictionary without braces, is all of the text and so is its inside. The value
    /// of a key that stands alone (`key;`) has no bytes; its place is right behind the key.
    static func scan(_ text: UnsafeRawBufferPointer, limits: PlistLimits = .standard) throws(PlistError) -> TextLayout {
        var scanner = OpenStepPlistScanner(text, limits: limits)
        var builder = TextLayoutBuilder()
        var keyEnd = 0
        while true {
            switch try scanner.next() {
            case .openDictionary, .openArray: builder.open(scanner.token)
            case .closeDictionary, .closeArray: builder.close(scanner.token)
            case .key:
                keyEnd = scanner.token.upperBound
                builder.key(scanner.token)
            case .string, .data: builder.scalar(scanner.token)
            case .shorthand: builder.scalar(keyEnd..<keyEnd)
            case .end: return builder.layout
            }
        }
    }
}
