import CapsuleHashing
package import CapsulePropertyList

/// The text that a signature of a version signs: which version it is, and what is in it. The same version always has the same text, also
/// in a capsule with more or fewer versions, other labels or another compression (docs/format.md, section 16).
package struct VersionStatement: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ manifest: Manifest) throws(PlistError) {
        let lines = [
            "capsule statement 1", "version \(manifest.version)", "tree \(manifest.treeDigest.hex)",
            "content \(manifest.contentDigest.hex)", "manifest \(try Self.digest(of: manifest).hex)",
            "captured \(manifest.captured.iso8601())", "source \(Self.word(manifest.source.kind.rawValue))",
            "archive \(Self.word(manifest.source.archive?.string))", "app \(Self.word(manifest.source.bundleIdentifier?.string))",
        ]
        bytes = lines.flatMap { Array("\($0)\n".utf8) }
    }

    /// The keys that change without the version: labels move, and the index says where in the file the bytes are.
    private static let changing: Set<PlistString> = ["Label", "IndexDigest"]

    /// Returns the digest of the manifest as a binary property list with sorted keys. Overlays are in the manifest alone.
    private static func digest(of manifest: Manifest) throws(PlistError) -> ContentDigest {
        let fields = (manifest.propertyList.dictionary ?? PlistDictionary()).filter { !changing.contains($0.key) }
        let sorted = PlistDictionary(fields.sorted { $0.key.string < $1.key.string }.map { ($0.key, $0.value) })
        return SHA256Hasher.digest(of: try PlistWriter.write(.dictionary(sorted), as: .binary))
    }

    /// Returns a text of anyone as one word: other bytes than visible ASCII are `%XX`. `-` is none.
    private static func word(_ text: String?) -> String {
        guard let text else { return "-" }
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
    }
}
