import CapsulePropertyList

extension FileState: CustomStringConvertible {
    /// All that is said, in words: `a file, 0644, 5 bytes, digest 3f786850e387`, `a link to "x"`.
    public var description: String {
        var parts = [
            kind == .link ? "a link to \(PlistString(String(decoding: target, as: UTF8.self)).quoted)" : "a \(kind.word)"
        ]
        if let mode { parts.append(mode.octal) }
        if let content {
            parts.append("\(content.size) \(content.size == 1 ? "byte" : "bytes")")
            parts.append("digest \(content.digest.hex.prefix(12))")
        }
        if let attributes, !attributes.isEmpty {
            parts.append("\(attributes.count) \(attributes.count == 1 ? "attribute" : "attributes")")
        }
        return parts.joined(separator: ", ")
    }
}
