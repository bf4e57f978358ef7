import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// A digest of pieces that come from several threads, each in its turn.
final class OrderedDigest: @unchecked Sendable {
    private let turns = TurnTaking()
    // Only in turn.
    private var hasher = SHA256Hasher()

    /// Waits for its turn, lets `body` feed the digest, and gives the turn on.
    func take<Failure: Error>(_ number: Int, _ body: (OrderedDigest) throws(Failure) -> Void) throws(Failure) {
        try turns.take(number) { () throws(Failure) in try body(self) }
    }

    /// In turn only: takes in the pieces of a stretch, in order.
    func update(_ pieces: [StreamPiece], of buffer: ByteBuffer) throws(CapsuleError) {
        for piece in pieces {
            if let place = piece.place {
                hasher.update(buffer.bytes(in: place..<place + Int(piece.length)))
            } else {
                try hasher.updateZeros(piece.length)
            }
        }
    }

    /// In the last turn only.
    func finish() -> ContentDigest { hasher.finish() }
}

extension SHA256Hasher {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)
    private static let checkInterval: UInt64 = 64 << 20

    /// Takes in so many zeros, unless the user asks to stop: a hole takes no room, and yet long to digest.
    mutating func updateZeros(_ length: UInt64) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            if rest % Self.checkInterval < UInt64(Self.zeros.count) { try CapsuleError.checkInterruption() }
            let count = Int(min(rest, UInt64(Self.zeros.count)))
            Self.zeros.withUnsafeBytes { update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= UInt64(count)
        }
    }
}
