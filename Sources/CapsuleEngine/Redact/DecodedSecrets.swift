import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

/// Finds secrets in what texts and data say when they are decoded, as ``DecodedSearch`` does for secrets that are known: JSON and property
/// lists in Base64, in gzip or in UTF-16, and URLs in URLs.
enum DecodedSecrets {
    /// The longest bytes that are decoded.
    private static let longest = 1 << 20
    private static let deepest = 3

    static func all(in bytes: UnsafeRawBufferPointer) -> [FoundSecret] { all(in: bytes, depth: 1) }

    private static func all(in bytes: UnsafeRawBufferPointer, depth: Int) -> [FoundSecret] {
        guard bytes.count <= longest, depth <= deepest, !SecretDecoding.isPlain(bytes) else { return [] }
        return decoded(Array(bytes)).flatMap { inner in
            if PlistFormat.isBinaryOrXML(inner), let found = FileSecrets.secrets(inDocument: inner) { return found }
            var found: [FoundSecret] = []
            if isText(inner) {
                let ranges = Secrets.ranges(in: inner)
                if !ranges.isEmpty { found.append(.text(inner, ranges)) }
            }
            return found + inner.withUnsafeBytes { all(in: $0, depth: depth + 1) }
        }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool { !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil }

    private static func decoded(_ bytes: [UInt8]) -> [[UInt8]] {
        if let inner = CompressedData.opened(bytes.first == 1 ? Array(bytes.dropFirst()) : bytes) { return [inner] }
        return isText(bytes) ? SecretDecoding(bytes).inner : SecretDecoding.narrow(bytes).map { [$0] } ?? []
    }
}
