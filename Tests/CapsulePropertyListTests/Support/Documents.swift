import CapsulePropertyList

/// The document with these elements in `<plist>`, as UTF-8.
func xml(_ body: String) -> [UInt8] {
    Array("<plist version=\"1.0\">\(body)</plist>".utf8)
}

/// The value of a document.
func read(_ bytes: [UInt8], limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
    try PlistReader.read(bytes, limits: limits).value
}

/// The error that reading the document ends with; nil if it has a value.
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

/// The error that writing the value ends with; nil if there is a document.
func writingError(_ value: PlistValue, limits: PlistLimits = .standard) -> PlistError? {
    do throws(PlistError) {
        _ = try XMLPlistWriter.write(value, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// So many arrays around each other, with an empty one innermost.
func nestedArrays(_ depth: Int) -> PlistValue {
    (1..<depth).reduce([]) { inner, _ in .array([inner]) }
}

/// A document of so many arrays around each other.
func nestedXML(_ depth: Int) -> [UInt8] {
    xml(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
}

/// The error that writing the value in binary ends with; nil if there is a document.
func binaryWritingError(_ value: PlistValue, limits: PlistLimits = .standard) -> PlistError? {
    do throws(PlistError) {
        _ = try BinaryPlistWriter.write(value, limits: limits)
        return nil
    } catch {
        return error
    }
}
