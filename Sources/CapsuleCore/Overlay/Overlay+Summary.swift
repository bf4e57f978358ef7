public import CapsulePropertyList

extension Overlay {
    /// One thing that a target does, for a list of all that it does.
    public struct Step: Hashable, Sendable {
        /// `merge`, `remove`, the operation's name.
        public let name: String
        /// Where.
        public let place: PlistPointer
        /// What is put there, tested, added; nil where that is nothing.
        public let value: PlistValue?
        /// Where it comes from, of `move` and `copy`.
        public let from: PlistPointer?
        /// Conditions of the operation itself.
        public let conditions: [Condition]
    }
}

extension Overlay.Target {
    /// Merged values that are listed one by one; a document may share a container many times.
    private static let longestMerge = 1_000

    /// All that it does, in order: a merge is told value by value, down to scalars, arrays and empty dictionaries.
    public var steps: [Overlay.Step] {
        var steps = remove.map { Overlay.Step(name: "remove", place: $0, value: nil, from: nil, conditions: []) }
        if let merge {
            var count = Self.longestMerge
            Self.append(merge, at: .root, to: &steps, &count)
        }
        return steps + operations.map(\.step)
    }

    private static func append(
        _ value: PlistValue, at place: PlistPointer, to steps: inout [Overlay.Step], _ count: inout Int
    ) {
        guard count > 0, let dictionary = value.dictionary, !dictionary.isEmpty else {
            count -= 1
            steps.append(Overlay.Step(name: "merge", place: place, value: value, from: nil, conditions: []))
            return
        }
        for (key, value) in dictionary { append(value, at: place.appending(key), to: &steps, &count) }
    }
}

extension PlistOperation {
    fileprivate var step: Overlay.Step {
        var value: PlistValue?
        var from: PlistPointer?
        switch action {
        case .add(let new), .insert(let new), .replace(let new), .test(let new), .merge(let new): value = new
        case .union(let elements), .subtract(let elements): value = .array(elements)
        case .move(let place), .copy(let place): from = place
        case .remove: break
        }
        return Overlay.Step(name: action.name, place: path, value: value, from: from, conditions: conditions)
    }
}

extension Overlay.Form {
    /// What it is called: `a JSON Merge Patch (RFC 7396)`.
    public var nameWithArticle: String {
        switch self {
        case .plain: "a partial property list"
        case .mergePatch: "a JSON Merge Patch (RFC 7396)"
        case .patch: "a JSON Patch (RFC 6902)"
        case .document: "a document"
        }
    }
}

extension Condition: CustomStringConvertible {
    /// `CONFIGURATION is "Debug" or "Test"`, `FASTLANE_SNAPSHOT is true`.
    public var description: String {
        switch demand {
        case .isTrue: "\(name) is true"
        case .isFalse: "\(name) is false"
        case .isAny(let texts): "\(name) is \(texts.map { PlistString($0).quoted }.joined(separator: " or "))"
        }
    }
}
