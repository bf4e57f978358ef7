import CapsuleCore
import CapsulePropertyList

/// The merge of what the texts of three property lists have besides their values: comments, which merge by lines, and the digits of
/// numbers (docs/merge.md, section 2).
struct TextPartsMerge {
    private typealias Part = PlistTextParts.Part
    private typealias Sides = (base: Part?, ours: Part?, theirs: Part?)

    private let reference: PlistValue
    /// The conflicts about values. The parts in their places follow the decisions on them.
    private let values: [Conflict]
    private let path: RelativePath?
    private var parts: [PlistTextParts.Place: Part] = [:]
    /// The sides that win conflicts about what the other side deleted, with the places.
    private(set) var kept: [(pointer: PlistPointer, side: Resolution)] = []
    /// True if there is nothing to merge.
    private(set) var isEmpty: Bool

    /// - Parameters:
    ///   - reference: the merged value with ours in each conflict, so that the places don't depend on decisions.
    init(
        _ layouts: PlistLayouts, _ reference: PlistValue, _ values: [Conflict], path: RelativePath?,
        _ decisions: inout MergeDecisions
    ) {
        (self.reference, self.values, self.path) = (reference, values, path)
        func parts(_ side: PlistLayouts.Side?) -> [PlistTextParts.Place: Part] {
            guard let side, side.encoding.format == layouts.ours.encoding.format else { return [:] }
            return side.document.parts(pairedWith: reference).parts
        }
        let (base, ours, theirs) = (parts(layouts.base), parts(layouts.ours), parts(layouts.theirs))
        let places = Set(base.keys).union(ours.keys).union(theirs.keys).map { (place: $0, pointer: $0.pointer) }
        isEmpty = places.isEmpty
        for (place, pointer) in places.sorted(by: { Self.precedes($0, $1) }) {
            let part = merged(place, pointer, (base[place], ours[place], theirs[place]), &decisions)
            if let part, !part.text.isEmpty { self.parts[place] = part }
        }
    }

    /// True if decisions on numbers change the value.
    var decideValues: Bool { parts.values.contains { $0.isDecided } }

    /// Returns the bytes of a document of the merged value, or of another one with the same places, with the merged parts.
    func applied(to bytes: [UInt8], _ format: PlistFormat) throws(OverlayError) -> [UInt8] {
        if isEmpty { return bytes }
        do throws(PlistError) {
            let document = try PlistDocument.read(bytes, accepting: [format], isLenient: true)
            return try document.bytes(replacing: parts, pairedWith: reference)
        } catch {
            throw OverlayError(.clash, error.message, hint: error.hint)
        }
    }

    private static func precedes(
        _ left: (place: PlistTextParts.Place, pointer: PlistPointer),
        _ right: (place: PlistTextParts.Place, pointer: PlistPointer)
    ) -> Bool {
        if left.pointer == right.pointer { return left.place.position.rawValue < right.place.position.rawValue }
        return left.pointer.steps.lexicographicallyPrecedes(right.pointer.steps)
    }

    private mutating func merged(
        _ place: PlistTextParts.Place, _ pointer: PlistPointer, _ sides: Sides, _ decisions: inout MergeDecisions
    ) -> Part? {
        let isNumber = place.position == .number
        if let conflict = values.first(where: { $0.pointer.map { place.isAtOrBelow($0) } ?? false }) {
            // A value of nobody's has no digits, and the comments on it merge as any others.
            guard case .value? = conflict.resolution else { return chosen(conflict.resolution, sides) }
            if isNumber { return nil }
        }
        let (base, ours, theirs) = (sides.base?.content ?? [], sides.ours?.content ?? [], sides.theirs?.content ?? [])
        let exists = place.exists(in: reference)
        var reason = isNumber ? "both changed the digits" : "both changed the comments"
        if ours == theirs {
            return sides.ours
        } else if ours == base || theirs == base {
            let part = ours == base ? sides.theirs : sides.ours
            if exists || (part?.content ?? []).isEmpty || isNumber && !(part?.exceedsDouble ?? false) { return part }
            reason = ours == base ? "ours deleted it" : "theirs deleted it"
        } else if isNumber {
            guard [sides.ours, sides.theirs].contains(where: { $0?.exceedsDouble ?? false }) else { return nil }
            if !exists { reason = ours.isEmpty ? "ours deleted it" : "theirs deleted it" }
        } else if exists, let lines = mergedLines(sides) {
            return Part(text: lines)
        }
        func string(_ part: Part?) -> PlistValue? { part.map { .string(PlistString(String(decoding: $0.text, as: UTF8.self))) } }
        let conflict = Conflict(
            isNumber ? .value : .text, path: path, pointer: pointer, base: string(sides.base), ours: string(sides.ours),
            theirs: string(sides.theirs), reason: reason)
        let resolution = decisions.resolve(conflict) { resolution in
            switch resolution {
            case .value(let value): !isNumber && value.string != nil
            case .absent: !isNumber
            case .base, .ours, .theirs: true
            }
        }
        if !exists, place.hasKeysAlone { kept.append((pointer, resolution ?? .ours)) }
        var part = chosen(resolution, sides)
        part?.isDecided = isNumber && exists
        return part
    }

    private func chosen(_ resolution: Resolution?, _ sides: Sides) -> Part? {
        switch resolution {
        case nil, .ours: sides.ours
        case .theirs: sides.theirs
        case .base: sides.base
        case .absent: nil
        case .value(let value): value.string.map { Part(text: Array($0.utf8)) } ?? sides.ours
        }
    }

    private func mergedLines(_ sides: Sides) -> [UInt8]? {
        guard let base = sides.base, let ours = sides.ours, let theirs = sides.theirs,
            let old = try? TextContent(utf8: base.text),
            let own = try? TextContent(utf8: ours.text), let other = try? TextContent(utf8: theirs.text)
        else { return nil }
        let merge = LineMerge(base: old, ours: own, theirs: other)
        return merge.isClean ? merge.merged { _, _ in [] } : nil
    }
}

extension PlistTextParts.Place {
    fileprivate var pointer: PlistPointer {
        PlistPointer(
            steps: steps.map { step in
                switch step {
                case .key(let key): key
                case .index(let index): PlistString(String(index))
                case .removed: "-"
                }
            })
    }

    /// True if the place may be inside the value that a pointer names. Any element of an array may be the one that it names.
    fileprivate func isAtOrBelow(_ other: PlistPointer) -> Bool {
        steps.count >= other.steps.count
            && zip(steps, other.steps).allSatisfy { step, other in if case .key(let key) = step { key == other } else { true } }
    }

    fileprivate var hasKeysAlone: Bool { steps.allSatisfy { if case .key = $0 { true } else { false } } }

    fileprivate func exists(in value: PlistValue) -> Bool {
        var value = value
        for step in steps {
            switch step {
            case .key(let key):
                guard let child = value.dictionary?[key] else { return false }
                value = child
            case .index(let index):
                guard let elements = value.array, elements.indices.contains(index) else { return false }
                value = elements[index]
            case .removed: return false
            }
        }
        return true
    }
}
