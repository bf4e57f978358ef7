import CapsulePropertyList

extension Overlay {
    /// The operations whose second application would change something, or fail (design: overlay.md, "The document").
    ///
    /// - Returns: where each is in the overlay, and why.
    public var notRepeatable: [OverlayNote] {
        var notes: [OverlayNote] = []
        for target in targets {
            for (number, operation) in target.operations.enumerated() {
                guard let reason = operation.reasonNotToRepeat(among: target.operations) else { continue }
                notes.append(OverlayNote("operation \(number), \(reason)", at: operation.path))
            }
        }
        return notes
    }
}

extension PlistOperation {
    fileprivate func reasonNotToRepeat(among all: [PlistOperation]) -> String? {
        switch action {
        case .add where addsElement: "'add' inserts into an array each time"
        case .copy where addsElement: "'copy' inserts into an array each time"
        case .copy(let from) where path != from && (path.isAtOrBelow(from) || from.isAtOrBelow(path)):
            "'copy' changes what it copies"
        case .remove: "'remove' fails once the value is gone"
        case .move: "'move' fails once the value is moved"
        case .test(let value) where all.contains(where: { $0.changes(path, from: value) }):
            "'test' fails once the overlay has changed what it tests"
        default: nil
        }
    }

    /// Whether the place is an array's: an index, its end or a selector. A dictionary may have such a key too, so this may be
    /// wrong on the safe side.
    private var addsElement: Bool {
        guard let last = path.last else { return false }
        let bytes = Array(last.utf8)
        return last == "-" || (bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]"))
            || (!bytes.isEmpty && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    }

    /// Whether the operation leaves something else than `value` at `place`.
    private func changes(_ place: PlistPointer, from value: PlistValue) -> Bool {
        let touches = path.isAtOrBelow(place) || place.isAtOrBelow(path)
        switch action {
        case .test: return false
        case .add(let new), .replace(let new): return touches && !(path == place && new == value)
        case .move(let from): return touches || from.isAtOrBelow(place) || place.isAtOrBelow(from)
        case .remove, .copy, .merge, .union, .subtract: return touches
        }
    }
}
