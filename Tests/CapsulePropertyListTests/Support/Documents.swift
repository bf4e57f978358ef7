import CapsulePropertyList

/// Returns a document with the given elements in `<plist>`, as UTF-8.
func xml(_ body: String) -> [UInt8] {
    Array("<plist version=\"1.0\">\(body)</plist>".utf8)
}

/// Returns the value of a document.
func read(_ bytes: [UInt8], limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
    try PlistReader.read(bytes, limits: limits).value
}

/// Returns the error of reading a document, or nil if there is none.
func readingError(
    _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard
) -> PlistError? {
    do throws(PlistError) {
        _ = try PlistReader.read(bytes, accepting: formats, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns the error of writing a value as XML, or nil if there is none.
func writingError(_ value: PlistValue, limits: PlistLimits = .standard) -> PlistError? {
    do throws(PlistError) {
        _ = try XMLPlistWriter.write(value, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns nested arrays, with an empty one innermost.
func nestedArrays(_ depth: Int) -> PlistValue {
    (1..<depth).reduce([]) { inner, _ in .array([inner]) }
}

/// Returns a value whose text has at least that many bytes, but which takes little memory.
func largeValue(_ bytes: Int) -> PlistValue {
    let text = PlistValue.string(PlistString(String(repeating: "a", count: 1 << 16)))
    return .array([PlistValue](repeating: text, count: bytes >> 16))
}

/// Returns an XML document of nested arrays.
func nestedXML(_ depth: Int) -> [UInt8] {
    xml(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
}

/// Returns the error of writing a value in binary, or nil if there is none.
func binaryWritingError(_ value: PlistValue, limits: PlistLimits = .standard) -> PlistError? {
    do throws(PlistError) {
        _ = try BinaryPlistWriter.write(value, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns the value of a JSON text.
func readJSON(
    _ text: String, options: JSONPlistOptions = [], limits: PlistLimits = .standard
) throws(PlistError) -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.json], json: options, limits: limits).value
}

/// Returns the value of an OpenStep property list.
func readOpenStep(_ text: String, limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.openStep], limits: limits).value
}

/// Returns the error of a function, or nil if there is none.
func failure<Value>(_ body: () throws(PlistError) -> Value) -> PlistError? {
    do throws(PlistError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Returns the canonical JSON of a value, without the newline at the end.
func writeJSON(_ value: PlistValue, options: JSONPlistOptions = []) throws(PlistError) -> String {
    let text = String(decoding: try JSONPlistWriter.write(value, options: options), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : "no newline at the end"
}

/// Returns the canonical OpenStep text of a value, without the newline at the end.
func writeOpenStep(_ value: PlistValue) throws(PlistError) -> String {
    let text = String(decoding: try OpenStepPlistWriter.write(value), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : "no newline at the end"
}
