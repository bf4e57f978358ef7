import CDeflate
import CZlib

/// What a zip says of an entry's bytes.
package struct ZipContent: Sendable {
    package enum Method: UInt16, Sendable {
        case stored = 0
        case deflated = 8
    }

    package var method: Method
    /// Of the bytes as they are.
    var crc: UInt32
    package var size: UInt64
    /// What they take in the zip.
    package var stored: UInt64

    /// No bytes yet.
    package init(_ method: Method) {
        self.method = method
        crc = 0
        size = 0
        stored = 0
    }

    /// Takes in what follows.
    package mutating func append(_ next: ZipContent) {
        crc = UInt32(truncatingIfNeeded: crc32_combine(UInt(crc), UInt(next.crc), Int(next.size)))
        size += next.size
        stored += next.stored
    }
}
