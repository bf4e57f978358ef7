/// Where the values of a JSON text stand.
enum JSONPlistLayout {
    /// The layout of UTF-8 text without a byte order mark. Throws what reading it would throw, without a pointer; the
    /// insides of strings and the range of numbers are not looked at.
    static func scan(_ text: UnsafeRawBufferPointer, limits: PlistLimits = .standard) throws(PlistError) -> TextLayout {
        var scanner = JSONPlistScanner(text, limits: limits)
        var builder = TextLayoutBuilder()
        while true {
            switch try scanner.next() {
            case .openDictionary, .openArray: builder.open(scanner.token)
            case .closeDictionary, .closeArray: builder.close(scanner.token)
            case .key: builder.key(scanner.token)
            case .string, .integer, .real, .true, .false, .null: builder.scalar(scanner.token)
            case .end: return builder.layout
            }
        }
    }
}
