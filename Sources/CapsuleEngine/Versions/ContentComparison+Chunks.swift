import CapsuleArchive
import CapsuleCore
import CapsuleHashing

extension ContentComparison {
    /// Takes what both begin and end with, cuts what is between by content, and lets what was found grow byte by byte.
    func matchesByChunks() throws(CapsuleError) -> [ContentMatch] {
        let shorter = min(old.length, new.length)
        let prefix = try commonPrefix(new: 0, old: 0, limit: shorter)
        let suffix = try commonSuffix(new: new.length, old: old.length, limit: shorter - prefix)
        // Both are there even if empty: what changed in place is found along them.
        var matches = [ContentMatch(start: 0, old: 0, length: prefix)]
        try matchChunks(of: prefix..<old.length - suffix, in: prefix..<new.length - suffix, to: &matches)
        matches.append(ContentMatch(start: new.length - suffix, old: old.length - suffix, length: suffix))
        return try grown(ContentMatch.joined(matches))
    }

    private func matchChunks(
        of oldRange: Range<UInt64>, in range: Range<UInt64>, to matches: inout [ContentMatch]
    ) throws(CapsuleError) {
        if oldRange.isEmpty || range.isEmpty { return }
        var table = DigestTable()
        var starts: [UInt64] = []
        try forEachChunk(of: old, in: oldRange) { chunk, digest in
            table.append(digest)
            starts.append(chunk.lowerBound)
        }
        var found: [ContentMatch] = []
        var next: Int?
        try forEachChunk(of: new, in: range) { chunk, digest in
            // Of several equal chunks the one behind the last is best: it needs no extent of its own.
            let place = table.place(of: digest, preferring: next)
            next = place.map { $0 + 1 }
            guard let place else { return }
            found.appendJoining(
                ContentMatch(
                    start: chunk.lowerBound, old: starts[place], length: chunk.upperBound - chunk.lowerBound))
        }
        matches += found
    }

    private func forEachChunk(
        of content: ContentWindow, in range: Range<UInt64>, _ body: (Range<UInt64>, ContentDigest) -> Void
    ) throws(CapsuleError) {
        var chunker = Chunker(tuning.chunkSizes)
        var hasher = SHA256Hasher()
        var start = range.lowerBound
        var at = start
        while at < range.upperBound {
            let end = min(range.upperBound, at + content.capacity)
            var rest = try content.bytes(in: at..<end)
            while !rest.isEmpty {
                let (count, isCut) = chunker.take(rest)
                hasher.update(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                at += UInt64(count)
                if isCut {
                    body(start..<at, hasher.finish())
                    start = at
                }
            }
        }
        if start < at { body(start..<at, hasher.finish()) }
    }

    /// Lets matches grow into what lies between them: first byte by byte from both sides, then, where an edit kept its length,
    /// along the match before.
    private func grown(_ matches: [ContentMatch]) throws(CapsuleError) -> [ContentMatch] {
        var grown: [ContentMatch] = []
        grown.reserveCapacity(matches.count)
        for match in matches {
            var match = match
            if var last = grown.popLast() {
                last.length += try commonPrefix(
                    new: last.end, old: last.oldEnd, limit: min(match.start - last.end, old.length - last.oldEnd))
                grown.append(last)
                let before = try commonSuffix(
                    new: match.start, old: match.old, limit: min(match.start - last.end, match.old))
                match = ContentMatch(start: match.start - before, old: match.old - before, length: match.length + before)
                try equalUnits(
                    of: tuning.shortestMatch, in: last.end..<match.start, old: last.oldEnd, to: &grown)
            }
            grown.appendJoining(match)
        }
        return grown
    }
}
