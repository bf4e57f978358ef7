import CapsuleCore

/// Looks in an old content for what a new one is made of.
struct ContentComparison {
    let old: ContentWindow
    let new: ContentWindow
    let tuning: DeltaTuning

    /// What both have, in the order of the new content, without overlaps in it.
    func matches() throws(CapsuleError) -> [ContentMatch] {
        if let unit = try pageLength() { return try matchesByPages(of: unit) }
        return try matchesByChunks()
    }

    /// How many bytes agree from two places on, at most `limit`.
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

    /// How many bytes agree before two places, at most `limit`.
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

    /// Mostly contents part soon or not at all: the first look is a short one.
    private func step(after done: UInt64) -> UInt64 {
        done == 0 ? min(64 << 10, new.capacity) : new.capacity
    }

    /// Compares a range of the new content with the old one from a place on, unit by unit.
    ///
    /// - Parameter differing: called for each unit that the old content has otherwise, or not at all, with what it has.
    func equalUnits(
        of unit: UInt64, in range: Range<UInt64>, old oldStart: UInt64, to matches: inout [ContentMatch],
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
                        ContentMatch(start: at + UInt64(place), old: oldAt + UInt64(place), length: UInt64(equal)))
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
}
