import CapsuleCore
import CapsuleRemote
import Synchronization

/// Takes bytes for what capsule-http sends, and carries out a request with it.
enum HTTPRound {
    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        let (frames, isRead) = frames(bytes, pieces: bytes.count)
        let cut = self.frames(bytes, pieces: 7)
        guard cut.frames == frames, cut.isRead == isRead else { return "the frames depend on how they arrive" }
        for range in [3..<9, nil] as [Range<UInt64>?] {
            if let complaint = carryOut(frames, range) { return complaint }
        }
        return nil
    }

    private static func frames(_ bytes: [UInt8], pieces: Int) -> (frames: [HelperFrame], isRead: Bool) {
        var reader = HelperFrameReader()
        var frames: [HelperFrame] = []
        do throws(CapsuleError) {
            for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
                bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { reader.append($0) }
                while let frame = try reader.next() { frames.append(frame) }
            }
            return (frames, true)
        } catch {
            return (frames, false)
        }
    }

    private static func carryOut(_ frames: [HelperFrame], _ range: Range<UInt64>?) -> String? {
        guard let address = try? WebAddress(parsing: "https://a/f?secret") else { return "no address" }
        let receiver = Receiver()
        var request = HTTPRequest(.get, address, range: range)
        request.suffix = 6
        request.authorization = "Bearer secret"
        request.receiver = receiver
        let exchange = Exchange(request, index: 0)
        do throws(CapsuleError) {
            if let complaint = complaint(of: exchange) { return complaint }
            for frame in frames {
                let step: Exchange.Step
                switch frame {
                case .head(_, let head): step = try exchange.take(head)
                case .body(_, let bytes): step = try exchange.take(bytes)
                case .end(_, let end): step = try exchange.end(end)
                case .version, .wants: continue
                }
                if receiver.isTooLong { return "more bytes than the head says" }
                switch step {
                case .wait: continue
                case .forget(.answer), .end(.answer): return nil
                case .forget(.again(let milliseconds, _)), .end(.again(let milliseconds, _)):
                    guard (0...120_000).contains(milliseconds) else { return "a wait of \(milliseconds) ms" }
                    if let complaint = complaint(of: exchange) { return complaint }
                }
            }
            return nil
        } catch {
            return error.message.isEmpty || "\(error)".contains("?secret") ? "an error that says nothing, or too much" : nil
        }
    }

    /// Begins a try.
    private static func complaint(of exchange: Exchange) -> String? {
        let lines = exchange.start()
        if lines.contains(where: { $0.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }) { return "a line break" }
        let headers = lines.filter { $0.key == "header" }.map(\.value)
        guard headers.count(where: { $0.hasPrefix("Range: ") }) == 1 else { return "not one range" }
        let isOwn = exchange.address.scheme == .https && exchange.address.host == "a" && exchange.address.port == 443
        return isOwn == headers.contains("Authorization: Bearer secret") ? nil : "a secret for another server, or none"
    }

    private final class Receiver: BodyReceiver {
        private let state = Mutex<(count: UInt64, limit: UInt64)>((0, .max))

        var isTooLong: Bool { state.withLock { $0.count > $0.limit } }

        func begin(_ head: HTTPHead) {
            state.withLock {
                $0 = (0, head.status == 206 ? head.contentRange.map { UInt64($0.range.count) } ?? 0 : head.length ?? .max)
            }
        }

        func receive(_ bytes: [UInt8]) { state.withLock { $0.count += UInt64(bytes.count) } }
    }
}
