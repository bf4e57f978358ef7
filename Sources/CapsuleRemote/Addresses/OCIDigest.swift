package import CapsuleHashing

/// The digest of a blob or a manifest in a registry: `sha256:` and 64 hexadecimal digits in lower case. Nothing else is accepted,
/// because a digest becomes a part of URLs and of file names.
package struct OCIDigest: Hashable, Sendable {
    package let content: ContentDigest

    private static let algorithm = "sha256:"

    package init(_ content: ContentDigest) {
        self.content = content
    }

    package init(of bytes: [UInt8]) {
        content = SHA256Hasher.digest(of: bytes)
    }

    package init?(_ text: some StringProtocol) {
        guard text.utf8.starts(with: Self.algorithm.utf8),
            let digest = ContentDigest(hex: String(text.dropFirst(Self.algorithm.count))),
            // Digits in upper case would make a second name for the same digest.
            text.utf8.elementsEqual("\(Self.algorithm)\(digest.hex)".utf8)
        else { return nil }
        content = digest
    }

    package var text: String { Self.algorithm + content.hex }
}

extension OCIDigest: CustomStringConvertible {
    package var description: String { text }
}
