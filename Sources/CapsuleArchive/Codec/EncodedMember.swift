import CDeflate
import CZstd
package import CapsuleCore
import CapsuleHashing

/// One data member as it was appended to a buffer.
package struct EncodedMember: Sendable {
    /// What it takes in the file.
    package let stored: UInt32
    /// What it holds of the stream.
    package let raw: UInt32
    /// Of the member's own bytes, for the segment's digest.
    package let digest: ContentDigest
}
