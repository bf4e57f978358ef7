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
    init(_ old: [PlistValue], _ new: [PlistValue], _ fingerprints: inout PlistFingerprints) {
        self.old = old
        self.new = new
        sources = [Source](repeating: .added, count: new.count)
        isUsed = [Bool](repeating: false, count: old.count)
        pairs = Self.sparePairs + Self.pairsForEach * (old.count + new.count)
        keepEqual(&fingerprints)
        changeAlike(&fingerprints)
    }

    // MARK: Equal elements

    private mutating func use(_ position: Int, for newPosition: Int, _ source: Source) {
        isUsed[position] = true
        sources[newPosition] = source
    }

    private mutating func keepEqual(_ fingerprints: inout PlistFingerprints) {
        let least = min(old.count, new.count)
        var head = 0
        while head < least, fingerprints.areEqual(old[head], new[head]) {
            use(head, for: head, .kept(head))
            head += 1
        }
        var tail = 0
        while tail < least - head, fingerprints.areEqual(old[old.count - 1 - tail], new[new.count - 1 - tail]) {
            use(old.count - 1 - tail, for: new.count - 1 - tail, .kept(old.count - 1 - tail))
            tail += 1
        }
        let oldMiddle = head..<old.count - tail
        let newMiddle = head..<new.count - tail
        guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return }
        let oldPrints = oldMiddle.map { fingerprints.fingerprint(of: old[$0]) }
        let newPrints = newMiddle.map { fingerprints.fingerprint(of: new[$0]) }
        for run in SequenceDiff(oldPrints, newPrints).runs {
            for step in 0..<run.count {
                let (left, right) = (head + run.old + step, head + run.new + step)
                // Fingerprints may be equal by chance.
                if fingerprints.areEqual(old[left], new[right]) { use(left, for: right, .kept(left)) }
            }
        }
        // The remaining equal elements have changed places. They are paired in order.
        var waiting: [Int: ArraySlice<Int>] = [:]
        for position in oldMiddle where !isUsed[position] { waiting[oldPrints[position - head], default: []].append(position) }
        for position in newMiddle where sources[position] == .added {
            let print = newPrints[position - head]
            guard let candidate = waiting[print]?.first, fingerprints.areEqual(old[candidate], new[position]) else { continue }
            waiting[print]?.removeFirst()
            use(candidate, for: position, .moved(candidate))
        }
    }

    // MARK: Similar elements

    /// Pairs the remaining elements between those that are kept.
    private mutating func changeAlike(_ fingerprints: inout PlistFingerprints) {
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
                pair((oldStart..<oldEnd).filter { !isUsed[$0] }, added, &fingerprints)
                added.removeAll()
            }
            oldStart = oldEnd + 1
        }
    }

    private mutating func pair(_ olds: [Int], _ news: [Int], _ fingerprints: inout PlistFingerprints) {
        let product = olds.count.multipliedReportingOverflow(by: news.count)
        guard olds.count > 1 || news.count > 1, !product.overflow, product.partialValue <= pairs else {
            for (position, newPosition) in zip(olds, news) { use(position, for: newPosition, .changed(position)) }
            return
        }
        pairs -= product.partialValue
        // The greatest sum of similarities from each pair of positions on.
        let width = news.count + 1
        var best = [Int](repeating: 0, count: (olds.count + 1) * width)
        var similarity = [Int](repeating: 0, count: best.count)
        for row in olds.indices.reversed() {
            for column in news.indices.reversed() {
                let place = row * width + column
                similarity[place] = Self.similarity(of: old[olds[row]], new[news[column]], &fingerprints)
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

    /// Returns the similarity of two different values, from 1 to 100.
    private static func similarity(
        of old: PlistValue, _ new: PlistValue, _ fingerprints: inout PlistFingerprints
    ) -> Int {
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            // More keys than these add little information and take time.
            let count = min(max(old.count, new.count), 8)
            var common = 0
            for (key, value) in old.prefix(count) {
                guard let position = new.position(of: key) else { continue }
                common += 2
                if fingerprints.areEqual(value, new.entries[position].value) { common += 3 }
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

/// Compares values for equality, optimized for repeated questions about the same values.
///
/// A value's fingerprint is a hash of its entire content. Values with different fingerprints differ. Values with the same
/// fingerprint are compared in full. They are nearly always equal, so their content is not compared again. Containers and long
/// scalars are visited once, even if they are shared. The caller must keep the values alive.
struct PlistFingerprints {
    /// The length in bytes from which strings and data are remembered like containers.
    private static let largeScalar = 1024

    /// A container whose children are being visited.
    private struct Frame {
        let container: PlistValue
        let address: UInt
        var next = 0
        /// The hasher for an array, whose order matters.
        var hasher = Hasher()
        /// The sum of the entries' hashes for a dictionary, whose order doesn't matter.
        var sum = 0
    }

    /// The fingerprint of each visited storage, by its address.
    private var known: [UInt: Int] = [:]

    /// Returns true if two values are equal.
    mutating func areEqual(_ left: PlistValue, _ right: PlistValue) -> Bool {
        guard left.isContainer, right.isContainer else { return left == right }
        let address = Self.address(of: left)
        if address != nil, address == Self.address(of: right) { return left.array != nil || right.array == nil }
        return fingerprint(of: left) == fingerprint(of: right) && left == right
    }

    /// Returns the fingerprint of a value.
    mutating func fingerprint(of value: PlistValue) -> Int {
        var frames: [Frame] = []
        var result = begin(value, &frames)
        while let top = frames.indices.last {
            if let finished = result {
                result = nil
                add(finished, to: &frames[top])
            } else if let child = Self.nextChild(of: &frames[top]) {
                result = begin(child, &frames)
            } else {
                let frame = frames.removeLast()
                var hasher = frame.hasher
                hasher.combine(frame.sum)
                let finished = hasher.finalize()
                known[frame.address] = finished
                result = finished
            }
        }
        return result ?? 0
    }

    private static func nextChild(of frame: inout Frame) -> PlistValue? {
        defer { frame.next += 1 }
        switch frame.container {
        case .array(let elements): return frame.next < elements.count ? elements[frame.next] : nil
        case .dictionary(let entries): return frame.next < entries.count ? entries[frame.next].value : nil
        default: return nil
        }
    }

    private func add(_ fingerprint: Int, to frame: inout Frame) {
        guard case .dictionary(let entries) = frame.container else { return frame.hasher.combine(fingerprint) }
        var hasher = Hasher()
        hasher.combine(entries[frame.next - 1].key)
        hasher.combine(fingerprint)
        frame.sum &+= hasher.finalize()
    }

    /// Returns the fingerprint of a scalar or of a known container, or nil for another container, which is pushed on the stack.
    private mutating func begin(_ value: PlistValue, _ frames: inout [Frame]) -> Int? {
        let address = Self.address(of: value)
        if let address, let fingerprint = known[address] { return fingerprint }
        var hasher = Hasher()
        hasher.combine(value.typeName)
        switch value {
        case .array, .dictionary:
            guard let address else { break }
            frames.append(Frame(container: value, address: address, hasher: hasher))
            return nil
        case .string(let string): hasher.combine(string)
        case .data(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .integer(let integer): hasher.combine(integer)
        case .real(let number), .date(let number): hasher.combine(number.bitPattern)
        case .boolean(let boolean): hasher.combine(boolean)
        case .uid(let uid): hasher.combine(uid)
        case .null: break
        }
        let fingerprint = hasher.finalize()
        if let address { known[address] = fingerprint }
        return fingerprint
    }

    /// Returns the address of a value's storage, or nil for empty containers and short scalars.
    private static func address(of value: PlistValue) -> UInt? {
        switch value {
        case .array(let elements):
            elements.isEmpty ? nil : elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary):
            dictionary.isEmpty ? nil : dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .string(let string):
            string.utf8.count < largeScalar ? nil : string.withUTF8 { UInt(bitPattern: $0.baseAddress) }
        case .data(let bytes):
            bytes.count < largeScalar ? nil : bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default: nil
        }
    }
}
