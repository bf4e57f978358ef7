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
