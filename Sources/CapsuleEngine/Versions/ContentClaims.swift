import CapsuleCore

/// Which files of a new version bring which content: of several that have the same, the first in the stream stores it.
final class ContentClaims: @unchecked Sendable {
    private let turns = TurnTaking()
    private let monitor = Monitor()
    private var positions: [ContentDigest: Int] = [:]

    /// Lets the files of a group claim their contents, when all groups before have.
    ///
    /// - Parameter body: handed what claims a digest for a position, and answers whether nobody has it yet.
    func take(turn: Int, _ body: (_ claim: (ContentDigest, Int) -> Bool) -> Void) {
        turns.take(turn) { () throws(Never) in
            body { digest, position in self.claim(digest, at: position) }
        }
    }

    /// Claims a content; false if a file at another position has it.
    func claim(_ digest: ContentDigest, at position: Int) -> Bool {
        monitor.locked {
            if let owner = positions[digest] { return owner == position }
            positions[digest] = position
            return true
        }
    }

    /// Forgets the claims of all files from a position on.
    func forget(from position: Int) {
        monitor.locked { positions = positions.filter { $0.value < position } }
    }

    /// Forgets a claim that came to nothing: the file that made it has another content by now.
    func forget(_ digest: ContentDigest) {
        _ = monitor.locked { positions.removeValue(forKey: digest) }
    }
}
