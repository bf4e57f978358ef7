public import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

extension PlistFile {
    /// The value digest: SHA-256 of the canonical binary property list with keys sorted by bytes, the same
    /// whatever the encoding and the order of keys. nil for a value with null, which no binary property list holds.
    public var valueDigest: ContentDigest? {
        guard let bytes = try? BinaryPlistWriter.write(document.value, sortsKeys: true) else { return nil }
        var hasher = SHA256Hasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        return hasher.finish()
    }
}
