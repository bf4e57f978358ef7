import CapsuleArchive
import CapsuleCore

/// Finds secrets in what texts and data say when they are decoded once, as ``DecodedSearch`` does for secrets that are known: JSON in
/// Base64, in gzip or in UTF-16, and URLs in URLs.
enum DecodedSecrets {
    /// The longest bytes that are decoded.
    private static let longest = 1 << 20

    /// Returns the decoded texts that have secrets, with their ranges.
    static func all(in bytes: UnsafeRawBufferPointer) -> [FoundSecret] {
        guard bytes.count <= longest, !SecretDecoding.isPlain(bytes) else { return [] }
        return texts(in: Array(bytes)).compactMap { text in
            guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else { return nil }
            let ranges = Secrets.ranges(in: text)
            return ranges.isEmpty ? nil : .text(text, ranges)
        }
    }

    private static func texts(in bytes: [UInt8]) -> [[UInt8]] {
        if let inner = CompressedData.opened(bytes.first == 1 ? Array(bytes.dropFirst()) : bytes) { return [inner] }
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        return isText ? SecretDecoding(bytes).inner : SecretDecoding.narrow(bytes).map { [$0] } ?? []
    }
}
