package import CapsuleCore

/// The frames on the pipes to and from the program capsule-http, which Sources/capsule-http/frames.h describes.
package enum HelperFrame: Equatable {
    static let version: UInt32 = 1
    /// The longest payload that capsule-http sends: the head of an answer. Its own limit is 256 KiB.
    package static let limit = 1 << 19
    static let bodyPiece = 64 << 10

    case version(UInt32, text: String)
    case head(UInt32, HTTPHead)
    case body(UInt32, [UInt8])
    case wants(UInt32, offset: UInt64, count: Int)
    case end(UInt32, TransferEnd)

    /// The end of a transfer, as libcurl reports it.
    package struct TransferEnd: Equatable {
        package let code: UInt32
        package let message: String

        package init(code: UInt32, message: String) {
            self.code = code
            self.message = message
        }
    }

    static func authorities(_ number: UInt32, _ certificates: [UInt8]) -> [UInt8] { frame("A", number, certificates) }

    /// - Parameter lines: keys and values. A value holds no line feed.
    static func request(_ number: UInt32, _ lines: [(key: String, value: String)]) -> [UInt8] {
        frame("R", number, lines.flatMap { Array("\($0.key) \($0.value)\n".utf8) })
    }

    static func piece(_ number: UInt32, at offset: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        frame("D", number, withUnsafeBytes(of: offset.bigEndian) { Array($0) } + bytes)
    }

    static func forget(_ number: UInt32) -> [UInt8] { frame("X", number, []) }

    private static func frame(_ kind: Unicode.Scalar, _ number: UInt32, _ payload: [UInt8]) -> [UInt8] {
        [UInt8(ascii: kind)] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
            + withUnsafeBytes(of: UInt32(truncatingIfNeeded: payload.count).bigEndian) { Array($0) } + payload
    }
}

/// Takes the output of capsule-http apart.
package struct HelperFrameReader {
    private var waiting: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0 {
            waiting.removeFirst(start)
            start = 0
        }
        waiting.append(contentsOf: bytes)
    }

    /// Returns the next frame, or nil if none is complete yet.
    package mutating func next() throws(CapsuleError) -> HelperFrame? {
        guard waiting.count - start >= 9 else { return nil }
        let length = Int(number(at: start + 5))
        guard length <= HelperFrame.limit else { throw Self.invalid }
        guard waiting.count - start - 9 >= length else { return nil }
        let kind = waiting[start]
        let transfer = number(at: start + 1)
        let payload = waiting[(start + 9)..<(start + 9 + length)]
        start += 9 + length
        switch kind {
        case UInt8(ascii: "V"): return .version(transfer, text: String(decoding: payload, as: UTF8.self))
        case UInt8(ascii: "H"):
            guard let head = HTTPHead(parsing: payload) else { throw Self.invalid }
            return .head(transfer, head)
        case UInt8(ascii: "B"): return .body(transfer, Array(payload))
        case UInt8(ascii: "W"):
            guard length == 12 else { throw Self.invalid }
            let offset = UInt64(number(at: payload.startIndex)) << 32 | UInt64(number(at: payload.startIndex + 4))
            return .wants(transfer, offset: offset, count: Int(number(at: payload.startIndex + 8)))
        case UInt8(ascii: "E"):
            guard length >= 4 else { throw Self.invalid }
            let message = String(decoding: payload.dropFirst(4), as: UTF8.self)
            return .end(transfer, HelperFrame.TransferEnd(code: number(at: payload.startIndex), message: message))
        default: throw Self.invalid
        }
    }

    private func number(at offset: Int) -> UInt32 {
        waiting[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static var invalid: CapsuleError {
        CapsuleError(
            "capsule-http sent something that is not an answer", hint: "install capsule and capsule-http from the same release")
    }
}
