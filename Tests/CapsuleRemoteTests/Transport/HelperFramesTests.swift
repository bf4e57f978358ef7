import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct HelperFramesTests {
    /// A frame as capsule-http sends it.
    private static func frame(_ kind: Unicode.Scalar, _ number: UInt8, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = UInt32(length ?? payload.count)
        return [UInt8(ascii: kind), 0, 0, 0, number] + withUnsafeBytes(of: length.bigEndian) { Array($0) } + payload
    }

    private static let sent: [(bytes: [UInt8], frame: HelperFrame)] = [
        (frame("V", 1, Array("libcurl/8\n".utf8)), .version(1, text: "libcurl/8\n")),
        (
            frame("H", 2, Array("206\nETag: \"a\"\nbroken\nX:\n".utf8)),
            .head(2, HTTPHead(status: 206, fields: [HTTPHeader("etag", "\"a\""), HTTPHeader("x", "")]))
        ),
        (frame("B", 3, [0, 255]), .body(3, [0, 255])), (frame("B", 3, []), .body(3, [])),
        (frame("W", 4, [0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0]), .wants(4, offset: 1 << 32 + 2, count: 65_536)),
        (frame("E", 5, [0, 0, 0, 56] + Array("reset".utf8)), .end(5, HelperFrame.TransferEnd(code: 56, message: "reset"))),
    ]

    private static func read(_ pieces: [[UInt8]]) throws -> [HelperFrame] {
        var reader = HelperFrameReader()
        var frames: [HelperFrame] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            while let frame = try reader.next() { frames.append(frame) }
        }
        return frames
    }

    @Test func framesAreReadHoweverTheyAreCut() throws {
        let bytes = Self.sent.flatMap(\.bytes)
        let expected = Self.sent.map(\.frame)
        #expect(try Self.read([bytes]) == expected)
        #expect(try Self.read(bytes.map { [$0] }) == expected)
        for cut in bytes.indices {
            #expect(try Self.read([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected, "cut at byte \(cut)")
        }
    }

    @Test(arguments: [
        frame("Q", 1, []), frame("V", 1, [], length: HelperFrame.limit + 1), frame("B", 1, [], length: Int(UInt32.max)),
        frame("W", 1, [0]), frame("W", 1, Array(repeating: 0, count: 13)), frame("E", 1, [0, 0, 0]), frame("H", 1, []),
        frame("H", 1, Array("1000\n".utf8)), frame("H", 1, Array("+200\n".utf8)), frame("H", 1, Array("two\n".utf8)),
    ])
    func otherBytesAreRefused(_ bytes: [UInt8]) {
        let error = failure { try Self.read([bytes]) }
        #expect(error?.message == "capsule-http sent something that is not an answer")
    }

    @Test func framesForTheProgram() {
        #expect(
            HelperFrame.request(258, [("url", "https://a/"), ("plain", "")])
                == [UInt8(ascii: "R"), 0, 0, 1, 2, 0, 0, 0, 22] + Array("url https://a/\nplain \n".utf8))
        #expect(
            HelperFrame.piece(1, at: 3, [9])
                == [UInt8(ascii: "D"), 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 3, 9])
        #expect(HelperFrame.forget(7) == [UInt8(ascii: "X"), 0, 0, 0, 7, 0, 0, 0, 0])
        #expect(HelperFrame.authorities(1, [5]) == [UInt8(ascii: "A"), 0, 0, 0, 1, 0, 0, 0, 1, 5])
    }
}
