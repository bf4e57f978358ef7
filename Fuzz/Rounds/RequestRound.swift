import CapsuleCore
import CapsuleEngine

/// Takes bytes for a request to `capsule serve`.
enum RequestRound {
    private enum Outcome: Equatable {
        case unfinished
        case request(ReceivedRequest)
        case refused(RequestRefusal)
    }

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        let outcome = read(bytes, pieces: max(1, bytes.count))
        for pieces in [1, 7] where read(bytes, pieces: pieces) != outcome { return "the outcome depends on how bytes arrive" }
        guard case .request(let request) = outcome else { return nil }
        if request.body.count > RequestReader.longestBody { return "a body that is too long" }
        if request.fields.contains(where: { $0.value.contains(where: { [0, 0x0A, 0x0D].contains($0) }) }) {
            return "a line end in a field"
        }
        let again = read(written(request), pieces: 64)
        return again == .request(request) ? nil : "what was read is read otherwise when it is written"
    }

    private static func read(_ bytes: [UInt8], pieces: Int) -> Outcome {
        var reader = RequestReader()
        do throws(RequestRefusal) {
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
                let request = try piece.withRawBytes { (piece) throws(RequestRefusal) in try reader.take(piece) }
                if let request { return .request(request) }
            }
            return .unfinished
        } catch {
            return .refused(error)
        }
    }

    private static func written(_ request: ReceivedRequest) -> [UInt8] {
        var bytes = Array("\(request.method) \(request.target) HTTP/1.1\r\n".utf8)
        for field in request.fields { bytes += Array("\(field.name): ".utf8) + field.value + [0x0D, 0x0A] }
        return bytes + [0x0D, 0x0A] + request.body
    }
}
