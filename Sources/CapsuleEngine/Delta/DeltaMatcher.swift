import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing

/// Searches an old content for the parts of a new one.
struct DeltaMatcher {
    let old: ContentWindow
    let new: ContentWindow
    let tuning: DeltaTuning

    /// Returns the parts that both contents have, in the order of the new content and without overlaps in it.
    func matches(threads: Int = 1) throws(CapsuleError) -> [CopiedRange] {
        if let unit = try pageLength() { return try matchesByPages(of: unit) }
        return try matchesByChunks(threads: threads)
    }

    func commonPrefix(new start: UInt64, old oldStart: UInt64, limit: UInt64) throws(CapsuleError) -> UInt64 {
        var done: UInt64 = 0
        while done < limit {
            let step = min(step(after: done), limit - done)
            let equal = EqualBytes.prefix(
                try new.bytes(in: start + done..<start + done + step),
                try old.bytes(in: oldStart + done..<oldStart + done + step))
            done += UInt64(equal)
            if UInt64(equal) < step { break }
        }
        return done
    }

    func commonSuffix(new end: UInt64, old oldEnd: UInt64, limit: UInt64) throws(CapsuleError) -> UInt64 {
        var done: UInt64 = 0
        while done < limit {
            let step = min(step(after: done), limit - done)
            let equal = EqualBytes.suffix(
                try new.bytes(in: end - done - step..<end - done),
                try old.bytes(in: oldEnd - done - step..<oldEnd - done))
            done += UInt64(equal)
            if UInt64(equal) < step { break }
        }
        return done
    }

    /// Returns the number of bytes to compare next. The first step is short, because most contents differ soon or not at all.
    private func step(after done: UInt64) -> UInt64 {
        done == 0 ? min(64 << 10, new.capacity) : new.capacity
    }

    /// Compares a range of the new content with the old one from an offset on, unit by unit.
    /// - Parameter differing: called for each unit that is different or missing in the old content, with the old content's bytes
    ///   there.
    func equalUnits(
        of unit: UInt64, in range: Range<UInt64>, old oldStart: UInt64, to matches: inout [CopiedRange],
        differing: (UInt64, UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) throws(CapsuleError) {
        var at = range.lowerBound
        let windowLength = max(unit, new.capacity / unit * unit)
        while at < range.upperBound {
            let end = min(range.upperBound, at + windowLength)
            let oldAt = min(old.length, oldStart + (at - range.lowerBound))
            let bytes = try new.bytes(in: at..<end)
            let oldBytes = try old.bytes(in: oldAt..<min(old.length, oldAt + (end - at)))
            var place = 0
            while place < bytes.count {
                // Whole units up to the first that differs; the last one may be short.
                let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
                let oldRest = UnsafeRawBufferPointer(rebasing: oldBytes[min(place, oldBytes.count)...])
                let common = EqualBytes.prefix(rest, oldRest)
                let equal = common == rest.count ? common : common / Int(unit) * Int(unit)
                if equal > 0 {
                    matches.appendJoining(
                        CopiedRange(start: at + UInt64(place), source: oldAt + UInt64(place), length: UInt64(equal)))
                    place += equal
                }
                if place < bytes.count {
                    differing(at + UInt64(place), UnsafeRawBufferPointer(rebasing: oldRest[equal...].prefix(Int(unit))))
                    place += Int(unit)
                }
            }
            at = end
        }
    }

    /// Returns the unit by which both contents are compared, if both are SQLite databases with pages of the same length; nil if
    /// not. A unit is several pages if one page is shorter than the shortest match.
    func pageLength() throws(CapsuleError) -> UInt64? {
        guard let page = try Self.pageLength(of: old), try Self.pageLength(of: new) == page else { return nil }
        let unit = max(page, tuning.shortestMatch)
        // The numbers of units have 32 bits.
        return unit <= new.capacity && max(old.length, new.length) / unit < UInt64(UInt32.max) ? unit : nil
    }

    /// Returns the page length of a database (SQLite file format, section 1.3.2): 16 bits, big-endian, at offset 16; 1 means
    /// 65,536.
    private static func pageLength(of content: ContentWindow) throws(CapsuleError) -> UInt64? {
        guard content.length >= 100 else { return nil }
        let header = try content.bytes(in: 0..<18)
        guard header.starts(with: DatabaseUnit.magic) else { return nil }
        let raw = UInt64(header[16]) << 8 | UInt64(header[17])
        let length = raw == 1 ? 65_536 : raw
        return length >= 512 && length.nonzeroBitCount == 1 ? length : nil
    }

    /// Compares pages with the same number, then searches the old pages that are not in their place any more for the other new
    /// ones.
    func matchesByPages(of unit: UInt64) throws(CapsuleError) -> [CopiedRange] {
        var matches: [CopiedRange] = []
        var changed: [UInt32] = []
        var gone = DisplacedPages()
        // Old pages are digested while they are in memory. Otherwise, the capsule would have to decompress them once more.
        try equalUnits(of: unit, in: 0..<new.length, old: 0, to: &matches) { offset, oldPage in
            let number = UInt32(truncatingIfNeeded: offset / unit)
            changed.append(number)
            if UInt64(oldPage.count) == unit { gone.append(number, oldPage) }
        }
        let oldUnits = UInt32(truncatingIfNeeded: old.length / unit)
        let newUnits = UInt32(truncatingIfNeeded: (new.length + unit - 1) / unit)
        if newUnits < oldUnits {
            try forEachUnit(Array(newUnits..<oldUnits), unit, of: old) { number, page in gone.append(number, page) }
        }
        let moved = try moved(changed, unit, among: gone)
        return moved.isEmpty ? matches : Self.merged(matches, moved)
    }

    private func moved(_ changed: [UInt32], _ unit: UInt64, among gone: DisplacedPages) throws(CapsuleError) -> [CopiedRange] {
        if gone.numbers.isEmpty { return [] }
        var hasher = SHA256Hasher()
        var found: [CopiedRange] = []
        var next: Int?
        try forEachUnit(changed, unit, of: new) { number, page in
            let place = gone.table.place(of: hasher.digest(of: page), preferring: next)
            next = place.map { $0 + 1 }
            guard let place else { return }
            found.appendJoining(
                CopiedRange(start: UInt64(number) * unit, source: UInt64(gone.numbers[place]) * unit, length: unit))
        }
        return found
    }

    /// Returns all matches of two lists, which are in the order of the new content.
    private static func merged(_ matches: [CopiedRange], _ others: [CopiedRange]) -> [CopiedRange] {
        var merged: [CopiedRange] = []
        merged.reserveCapacity(matches.count + others.count)
        var rest = others[...]
        for match in matches {
            while let first = rest.first, first.start < match.start { merged.appendJoining(rest.removeFirst()) }
            merged.appendJoining(match)
        }
        for match in rest { merged.appendJoining(match) }
        return merged
    }

    /// Consecutive units are read together, and a short last unit is skipped.
    private func forEachUnit(
        _ numbers: [UInt32], _ unit: UInt64, of content: ContentWindow, _ body: (UInt32, UnsafeRawBufferPointer) -> Void
    ) throws(CapsuleError) {
        var index = 0
        while index < numbers.count {
            let first = numbers[index]
            var count = 1
            while index + count < numbers.count, numbers[index + count] == first + UInt32(count),
                UInt64(count + 1) * unit <= content.capacity
            {
                count += 1
            }
            let start = UInt64(first) * unit
            let bytes = try content.bytes(in: start..<min(content.length, start + UInt64(count) * unit))
            for offset in 0..<count {
                let place = offset * Int(unit)
                guard place + Int(unit) <= bytes.count else { break }
                body(first + UInt32(offset), UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(unit)]))
            }
            index += count
        }
    }
}

/// Pages of an old content that are not in their place any more.
private struct DisplacedPages {
    private(set) var numbers: [UInt32] = []
    private(set) var table = DigestTable()

    mutating func append(_ number: UInt32, _ page: UnsafeRawBufferPointer) {
        numbers.append(number)
        var hasher = SHA256Hasher()
        table.append(hasher.digest(of: page))
    }
}

extension DeltaMatcher {
    /// Matches the common beginning and end, cuts the rest into chunks by content, and extends the matches byte by byte.
    private func matchesByChunks(threads: Int) throws(CapsuleError) -> [CopiedRange] {
        let shorter = min(old.length, new.length)
        // Only the thread for the end uses these windows.
        nonisolated(unsafe) let other = DeltaMatcher(old: old.another(), new: new.another(), tuning: tuning)
        let (prefix, end) = try WorkerThreads.run(threads: threads) {
            Result { () throws(CapsuleError) in
                try other.commonSuffix(new: other.new.length, old: other.old.length, limit: shorter)
            }
        } _: { () throws(CapsuleError) in
            try commonPrefix(new: 0, old: 0, limit: shorter)
        }
        let suffix = min(try end.get(), shorter - prefix)
        // Both matches are added even if they are empty, because changes in place are searched for along them.
        var matches = [CopiedRange(start: 0, source: 0, length: prefix)]
        try matchChunks(of: prefix..<old.length - suffix, in: prefix..<new.length - suffix, to: &matches)
        matches.append(CopiedRange(start: new.length - suffix, source: old.length - suffix, length: suffix))
        return try grown(matches)
    }

    private func matchChunks(
        of oldRange: Range<UInt64>, in range: Range<UInt64>, to matches: inout [CopiedRange]
    ) throws(CapsuleError) {
        if oldRange.isEmpty || range.isEmpty { return }
        var table = DigestTable()
        var starts: [UInt64] = []
        try forEachChunk(of: old, in: oldRange) { chunk, digest in
            table.append(digest)
            starts.append(chunk.lowerBound)
        }
        var found: [CopiedRange] = []
        var next: Int?
        try forEachChunk(of: new, in: range) { chunk, digest in
            // Of several equal chunks, the one after the last match is best, because it needs no extent of its own.
            let place = table.place(of: digest, preferring: next)
            next = place.map { $0 + 1 }
            guard let place else { return }
            found.appendJoining(
                CopiedRange(start: chunk.lowerBound, source: starts[place], length: chunk.length))
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
                let (count, isCut) = chunker.consume(rest)
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

    /// Extends matches into the gaps between them: first byte by byte from both sides. A gap that an edit in place left is then
    /// compared along the match before it.
    private func grown(_ matches: [CopiedRange]) throws(CapsuleError) -> [CopiedRange] {
        var grown: [CopiedRange] = []
        grown.reserveCapacity(matches.count)
        for match in matches {
            var match = match
            if var last = grown.popLast() {
                last.length += try commonPrefix(
                    new: last.end, old: last.sourceEnd, limit: min(match.start - last.end, old.length - last.sourceEnd))
                grown.append(last)
                let before = try commonSuffix(
                    new: match.start, old: match.source, limit: min(match.start - last.end, match.source))
                match = CopiedRange(start: match.start - before, source: match.source - before, length: match.length + before)
                try equalUnits(of: tuning.shortestMatch, in: last.end..<match.start, old: last.sourceEnd, to: &grown)
            }
            grown.appendJoining(match)
        }
        return grown
    }
}

/// Digests in the order in which they were added, found by value. Each takes 40 to 48 bytes, as a database may have one for each
/// page.
struct DigestTable {
    private(set) var digests: [ContentDigest] = []
    /// The index of a digest in ``digests`` plus one, or 0 for a free slot. The number of slots is a power of two.
    private var slots = [UInt32](repeating: 0, count: 16)

    mutating func append(_ digest: ContentDigest) {
        digests.append(digest)
        if 4 * digests.count > 3 * slots.count {
            slots = [UInt32](repeating: 0, count: 2 * slots.count)
            for place in digests.indices { enter(place) }
        } else {
            enter(digests.count - 1)
        }
    }

    /// Returns an index of `digest`: `preferred` if the digest there is equal, or else the first one.
    func place(of digest: ContentDigest, preferring preferred: Int?) -> Int? {
        if let preferred, preferred < digests.count, digests[preferred] == digest { return preferred }
        let number = slots[slot(of: digest)]
        return number == 0 ? nil : Int(number) - 1
    }

    private mutating func enter(_ place: Int) {
        let slot = slot(of: digests[place])
        if slots[slot] == 0 { slots[slot] = UInt32(place + 1) }
    }

    private func slot(of digest: ContentDigest) -> Int {
        var slot = digest.withBytes { Int(truncatingIfNeeded: $0.loadUnaligned(as: UInt64.self)) } & (slots.count - 1)
        while slots[slot] != 0, digests[Int(slots[slot]) - 1] != digest { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }
}
