import CapsuleCore
import CapsuleHashing

extension ContentComparison {
    /// What both are to be compared by, if both are SQLite databases with pages of one length; nil if not.
    ///
    /// Pages shorter than what is worth an extent are taken several at a time.
    func pageLength() throws(CapsuleError) -> UInt64? {
        guard let page = try Self.pageLength(of: old), try Self.pageLength(of: new) == page else { return nil }
        let unit = max(page, tuning.shortestMatch)
        // Units are numbered by 32 bits.
        return unit <= new.capacity && max(old.length, new.length) / unit < UInt64(UInt32.max) ? unit : nil
    }

    /// SQLite file format, section 1.3.2: 16 bits, big-endian, at offset 16; 1 is 65,536.
    private static func pageLength(of content: ContentWindow) throws(CapsuleError) -> UInt64? {
        guard content.length >= 100 else { return nil }
        let header = try content.bytes(in: 0..<18)
        guard header.starts(with: DatabaseUnit.magic) else { return nil }
        let raw = UInt64(header[16]) << 8 | UInt64(header[17])
        let length = raw == 1 ? 65_536 : raw
        return length >= 512 && length.nonzeroBitCount == 1 ? length : nil
    }

    /// Compares pages that have one number, then looks for the others among the old ones that went from their places.
    func matchesByPages(of unit: UInt64) throws(CapsuleError) -> [ContentMatch] {
        var matches: [ContentMatch] = []
        var changed: [UInt32] = []
        var gone = GonePages()
        // Old pages are digested while they are there: the capsule would have to decompress them once more.
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

    /// Finds changed pages of the new content, in order, among the old ones.
    private func moved(_ changed: [UInt32], _ unit: UInt64, among gone: GonePages) throws(CapsuleError) -> [ContentMatch] {
        if gone.numbers.isEmpty { return [] }
        var hasher = SHA256Hasher()
        var found: [ContentMatch] = []
        var next: Int?
        try forEachUnit(changed, unit, of: new) { number, page in
            let place = gone.table.place(of: hasher.digest(of: page), preferring: next)
            next = place.map { $0 + 1 }
            guard let place else { return }
            found.appendJoining(
                ContentMatch(start: UInt64(number) * unit, old: UInt64(gone.numbers[place]) * unit, length: unit))
        }
        return found
    }

    /// One list of two that do not overlap, both in order.
    private static func merged(_ matches: [ContentMatch], _ others: [ContentMatch]) -> [ContentMatch] {
        var merged: [ContentMatch] = []
        merged.reserveCapacity(matches.count + others.count)
        var rest = others[...]
        for match in matches {
            while let first = rest.first, first.start < match.start { merged.appendJoining(rest.removeFirst()) }
            merged.appendJoining(match)
        }
        for match in rest { merged.appendJoining(match) }
        return merged
    }

    /// Goes through whole units, read as many at a time as follow each other; a short last one is passed over.
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

/// Pages of an old content that are not in their places any more.
private struct GonePages {
    private(set) var numbers: [UInt32] = []
    private(set) var table = DigestTable()

    mutating func append(_ number: UInt32, _ page: UnsafeRawBufferPointer) {
        numbers.append(number)
        var hasher = SHA256Hasher()
        table.append(hasher.digest(of: page))
    }
}
