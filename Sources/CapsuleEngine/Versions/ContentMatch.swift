/// A stretch of the new content that the old one has too.
struct ContentMatch: Sendable, Equatable {
    /// Where it begins in the new content.
    var start: UInt64
    /// Where it begins in the old content.
    var old: UInt64
    var length: UInt64

    var end: UInt64 { start + length }
    var oldEnd: UInt64 { old + length }

    /// Matches in the order of the new content, those that go on in both contents as one.
    static func joined(_ matches: [ContentMatch]) -> [ContentMatch] {
        var joined: [ContentMatch] = []
        for match in matches { joined.appendJoining(match) }
        return joined
    }
}

extension [ContentMatch] {
    /// Appends a match; if it goes on where the last one ends, the last one grows.
    mutating func appendJoining(_ match: ContentMatch) {
        if let last, last.end == match.start, last.oldEnd == match.old {
            self[count - 1].length += match.length
        } else {
            append(match)
        }
    }
}
