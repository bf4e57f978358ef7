import CapsulePropertyList

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
