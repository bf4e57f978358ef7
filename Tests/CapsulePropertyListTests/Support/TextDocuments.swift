import CapsulePropertyList

/// The value of a text that is JSON.
func readJSON(
    _ text: String, options: JSONPlistOptions = [], limits: PlistLimits = .standard
) throws(PlistError) -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.json], json: options, limits: limits).value
}

/// The value of a text that is an OpenStep property list.
func readOpenStep(_ text: String, limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.openStep], limits: limits).value
}

/// The error that something ends with; nil if it does not.
func failure<Value>(_ body: () throws(PlistError) -> Value) -> PlistError? {
    do throws(PlistError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// The canonical JSON of a value, without the newline at the end.
func writeJSON(_ value: PlistValue, options: JSONPlistOptions = []) throws(PlistError) -> String {
    let text = String(decoding: try JSONPlistWriter.write(value, options: options), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : "no newline at the end"
}

/// The canonical OpenStep of a value, without the newline at the end.
func writeOpenStep(_ value: PlistValue) throws(PlistError) -> String {
    let text = String(decoding: try OpenStepPlistWriter.write(value), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : "no newline at the end"
}
