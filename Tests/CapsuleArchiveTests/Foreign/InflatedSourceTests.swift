import CDeflate
import CapsuleCore
import Testing

@testable import CapsuleArchive

/// Capsule's own gzip reader.
@Suite struct InflatedSourceTests {
    private final class Pieces: ByteSource {
        private let bytes: [UInt8]
        private let length: Int
        private var at = 0
        private let buffer = ByteBuffer(capacity: 64)

        init(_ bytes: [UInt8], length: Int) {
            self.bytes = bytes
            self.length = length
        }

        func next() -> UnsafeRawBufferPointer {
            buffer.removeAll()
            let end = min(bytes.count, at + length)
            buffer.append(Array(bytes[at..<end]))
            at = end
            return buffer.bytes
        }
    }

    private static func member(_ text: String) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 256)
        Array(text.utf8).withUnsafeBytes { bytes in
            GzipMember.appendData(bytes, framing: .plain, to: buffer) { Deflater(level: 6).append(bytes, to: $0) }
        }
        return Array(buffer.bytes)
    }

    /// Returns all inflated text, and the error at its end.
    private func inflate(_ bytes: [UInt8], pieces: Int) -> (text: String, error: CapsuleError?) {
        let source = InflatedSource(Pieces(bytes, length: pieces), path: HostPath("x"))
        var text: [UInt8] = []
        do throws(CapsuleError) {
            while true {
                let next = try source.next()
                if next.isEmpty { return (String(decoding: text, as: UTF8.self), nil) }
                text += Array(next)
            }
        } catch {
            return (String(decoding: text, as: UTF8.self), error)
        }
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func members(_ pieces: Int) {
        let two = Self.member("hello ") + Self.member("") + Self.member("world")
        #expect(inflate(two, pieces: pieces) == ("hello world", nil))
        #expect(inflate(two + [0, 0, 0], pieces: pieces) == ("hello world", nil))
        let garbage = inflate(two + Array("garbage".utf8), pieces: pieces)
        #expect(garbage.text == "hello world")
        #expect(garbage.error?.code == .trailing)
    }

    @Test func cutAndFlipped() {
        let one = Self.member("hello world, hello world")
        for length in 1..<one.count {
            #expect(inflate(Array(one[..<length]), pieces: 5).error?.code == .damaged, "cut at \(length)")
        }
        for at in one.indices where !(4...9).contains(at) {
            var flipped = one
            flipped[at] ^= 1
            let found = inflate(flipped, pieces: 64)
            #expect(found.error != nil || found.text == "hello world, hello world", "byte \(at)")
        }
    }
}

private func == (left: (text: String, error: CapsuleError?), right: (String, CapsuleError?)) -> Bool {
    left.text == right.0 && (left.error == nil) == (right.1 == nil)
}
