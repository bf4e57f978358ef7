/// An alignment of two arrays that turns one into the other with few changes, found quickly.
struct ArrayAlignment {
    /// The source of an element of the new array.
    enum Source: Hashable {
        /// The old element with that number, in order with other kept elements.
        case kept(Int)
        /// A similar element, which replaces the old element with that number.
        case changed(Int)
        /// The old element with that number, at another place.
        case moved(Int)
        /// An element that is not in the old array.
        case added
    }

    /// The number of pairs whose similarity is computed, per element.
    private static let pairsForEach = 32
    private static let sparePairs = 1024

    /// The source of each element of the new array. Kept and changed elements are in the old order. Each old element occurs at most
    /// once.
    private(set) var sources: [Source]

    private let old: [PlistValue]
    private let new: [PlistValue]
    private var isUsed: [Bool]
    private var pairs: Int

    /// Aligns equal elements, then the remaining elements between them by similarity.
    init(_ old: [PlistValue], _ new: [PlistValue]) {
        self.old = old
        self.new = new
        sources = [Source](repeating: .added, count: new.count)
        isUsed = [Bool](repeating: false, count: old.count)
        pairs = Self.sparePairs + Self.pairsForEach * (old.count + new.count)
        keepEqual()
        changeAlike()
    }

    // MARK: Equal elements

    private mutating func use(_ position: Int, for newPosition: Int, _ source: Source) {
        isUsed[position] = true
        sources[newPosition] = source
    }

    private mutating func keepEqual() {
        let least = min(old.count, new.count)
        var head = 0
        while head < least, old[head] == new[head] {
            use(head, for: head, .kept(head))
            head += 1
        }
        var tail = 0
        while tail < least - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
            use(old.count - 1 - tail, for: new.count - 1 - tail, .kept(old.count - 1 - tail))
            tail += 1
        }
        let oldMiddle = head..<old.count - tail
        let newMiddle = head..<new.count - tail
        guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return }
        let oldHashes = oldMiddle.map { old[$0].hashValue }
        let newHashes = newMiddle.map { new[$0].hashValue }
        for run in SequenceDiff(oldHashes, newHashes).runs {
            for step in 0..<run.count {
                let (left, right) = (head + run.old + step, head + run.new + step)
                // Hashes may be equal by chance.
                if old[left] == new[right] { use(left, for: right, .kept(left)) }
            }
        }
        // The remaining equal elements have changed places. They are paired in order.
        var waiting: [Int: ArraySlice<Int>] = [:]
        for position in oldMiddle where !isUsed[position] { waiting[oldHashes[position - head], default: []].append(position) }
        for position in newMiddle where sources[position] == .added {
            let hash = newHashes[position - head]
            guard let candidate = waiting[hash]?.first, old[candidate] == new[position] else { continue }
            waiting[hash]?.removeFirst()
            use(candidate, for: position, .moved(candidate))
        }
    }

    // MARK: Similar elements

    /// Pairs the remaining elements between those that are kept.
    private mutating func changeAlike() {
        var oldStart = 0
        var added: [Int] = []
        for position in 0...new.count {
            var oldEnd = old.count
            if position < new.count {
                switch sources[position] {
                case .kept(let kept): oldEnd = kept
                case .added:
                    added.append(position)
                    continue
                case .changed, .moved: continue
                }
            }
            if !added.isEmpty {
                pair((oldStart..<oldEnd).filter { !isUsed[$0] }, added)
                added.removeAll()
            }
            oldStart = oldEnd + 1
        }
    }

    private mutating func pair(_ olds: [Int], _ news: [Int]) {
        let product = olds.count.multipliedReportingOverflow(by: news.count)
        guard olds.count > 1 || news.count > 1, !product.overflow, product.partialValue <= pairs else {
            for (position, newPosition) in zip(olds, news) { use(position, for: newPosition, .changed(position)) }
            return
        }
        pairs -= product.partialValue
        let (oldCandidates, newCandidates) = (olds.map { Candidate(old[$0]) }, news.map { Candidate(new[$0]) })
        // The greatest sum of similarities from each pair of positions on.
        let width = news.count + 1
        var best = [Int](repeating: 0, count: (olds.count + 1) * width)
        var similarity = [Int](repeating: 0, count: best.count)
        for row in olds.indices.reversed() {
            for column in news.indices.reversed() {
                let place = row * width + column
                similarity[place] = Self.similarity(of: oldCandidates[row], newCandidates[column])
                best[place] = max(best[place + width + 1] + similarity[place], best[place + width], best[place + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < olds.count, column < news.count {
            let place = row * width + column
            if best[place] == best[place + width + 1] + similarity[place] {
                use(olds[row], for: news[column], .changed(olds[row]))
                row += 1
                column += 1
            } else if best[place] == best[place + width] {
                row += 1
            } else {
                column += 1
            }
        }
    }

    /// A value that is compared with many others.
    private struct Candidate {
        let value: PlistValue
        /// The hash of each entry of a dictionary.
        let hashes: [Int]

        init(_ value: PlistValue) {
            self.value = value
            hashes = value.dictionary.map { $0.entries.map { $0.value.hashValue } } ?? []
        }
    }

    /// Returns the similarity of two different values, from 1 to 100.
    private static func similarity(of old: Candidate, _ new: Candidate) -> Int {
        switch (old.value, new.value) {
        case (.dictionary(let oldEntries), .dictionary(let newEntries)):
            // More keys than these add little information and take time.
            let count = min(max(oldEntries.count, newEntries.count), 8)
            var common = 0
            for oldPosition in 0..<min(count, oldEntries.count) {
                guard let newPosition = newEntries.position(of: oldEntries.entries[oldPosition].key) else { continue }
                common += 2
                if old.hashes[oldPosition] == new.hashes[newPosition] { common += 3 }
            }
            return 10 + (count > 0 ? common * 90 / (count * 5) : 0)
        case (.array, .array), (.string, .string), (.integer, .integer), (.real, .real), (.boolean, .boolean),
            (.date, .date), (.data, .data), (.uid, .uid), (.null, .null):
            return 10
        default:
            return 1
        }
    }
}
