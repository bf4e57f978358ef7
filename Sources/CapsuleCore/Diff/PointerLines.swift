package import CapsulePropertyList

/// A property list as lines of text, each with a pointer and the value there, for programs that compare lines.
///
///     (encoding): xml
///     /CFBundleIdentifier: "com.example.app"
///     /CFBundleURLTypes/[CFBundleURLName=share]/CFBundleURLSchemes/0: "share"
///
/// ``PlistLeaves`` gives the values, so equal documents give equal lines.
package struct PointerLines {
    /// The number of bytes of data that are written in full. Longer data is identified by its digest.
    private static let dataLimit = 96
    private static let leastLimit = 1 << 22

    private let digest: ([UInt8]) -> String
    private let limit: Int
    private var output: [UInt8] = []

    private init(limit: Int, digest: @escaping ([UInt8]) -> String) {
        self.limit = limit
        self.digest = digest
    }

    /// Returns the lines of a document in UTF-8, each with its line feed.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes in the text, or nil for 64 times the size of the document, but at least 4 MiB.
    ///     Objects that a binary property list shares are written wherever they are used.
    ///   - digest: returns the digest of data as digits.
    package static func text(
        of document: PlistDocument, limit: Int? = nil, digest: @escaping ([UInt8]) -> String
    ) throws(OverlayError) -> [UInt8] {
        var lines = PointerLines(limit: limit ?? max(leastLimit, 64 * document.bytes.count), digest: digest)
        lines.append("(encoding): \(document.format.word)")
        for warning in document.warnings { lines.append("(warning): \(warning.message)") }
        try lines.run(document.value)
        return lines.output
    }

    private mutating func run(_ root: PlistValue) throws(OverlayError) {
        try PlistLeaves.forEach(in: root) { (pointer, value) throws(OverlayError) in
            guard output.count <= limit else {
                throw OverlayError(.limit, "the text would be larger than \(limit) bytes")
            }
            append((pointer.isRoot ? "(root)" : pointer.lineText) + ": " + text(of: value))
        }
    }

    private func text(of value: PlistValue) -> String {
        guard case .data(let bytes) = value, bytes.count > Self.dataLimit else { return value.line(length: nil, values: 1) }
        return value.line(length: 24, values: 1) + ", sha256 " + digest(bytes)
    }

    private mutating func append(_ line: String) {
        output += line.utf8
        output.append(0x0A)
    }
}

extension PlistPointer {
    /// The pointer on one line. If it contains characters that end a line or are invisible, it is quoted and escaped like a string.
    var lineText: String {
        let text = description
        let quoted = PlistValue.string(PlistString(text)).line(length: nil, values: 1)
        return quoted.utf8.count == text.utf8.count + 2 ? text : quoted
    }
}
