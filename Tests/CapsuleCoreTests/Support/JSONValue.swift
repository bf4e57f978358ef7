import CapsulePropertyList

/// Returns the value of a JSON text.
func json(_ text: String) throws -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.json]).value
}
