public import CapsulePropertyList

/// A pattern for the places of a property list. `*` matches one key or index, `**` any number of them.
///
/// A pattern with a leading `/` begins at the root. Any other one begins anywhere, as if it had a leading `**/`.
/// (docs/overlay.md, section 2)
public struct PointerPattern: Hashable, Sendable {
    /// One step of a pattern.
    enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        case deep
    }

    let steps: [Step]

    /// The number of literal steps. If several patterns match, the one with the greatest weight is used.
    public var weight: Int {
        steps.count { step in
            if case .literal = step { true } else { false }
        }
    }

    /// Creates a pattern from its text. Its steps are escaped as in a pointer (RFC 6901), with `~0` and `~1`.
    ///
    /// - Throws: `invalid` for an empty pattern, or for a `~` that is part of neither.
    public init(_ text: String) throws(OverlayError) {
        guard !text.isEmpty else {
            throw OverlayError(.invalid, "the pattern is empty", hint: "write a key, 'A/*/B' or '/A/B'")
        }
        let isAnchored = text.hasPrefix("/")
        let pointer: PlistPointer
        do throws(PlistError) {
            pointer = try PlistPointer(isAnchored ? text : "/" + text)
        } catch {
            throw OverlayError(.invalid, error.message, hint: error.hint)
        }
        var steps: [Step] = isAnchored ? [] : [.deep]
        for step in pointer.steps {
            switch step.string {
            case "*": steps.append(.any)
            case "**": if steps.last != .deep { steps.append(.deep) }
            default: steps.append(.literal(step))
            }
        }
        self.steps = steps
    }

    /// Returns true if the pattern matches the whole place.
    public func matches(_ place: PlistPointer) -> Bool { matches(place.steps) }

    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    func matches(_ place: [PlistString]) -> Bool {
        DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
    }

    private func fits(_ step: Step, _ taken: PlistString) -> Bool {
        switch step {
        case .literal(let key): key == taken
        case .any: true
        case .deep: false
        }
    }
}

extension PointerPattern: CustomStringConvertible {
    /// The pattern as it can be written: `A/*/B`, `/A/**/B`.
    public var description: String {
        let isAnchored = steps.first != .deep
        let words = (isAnchored ? steps : Array(steps.dropFirst())).map { step in
            switch step {
            case .literal(let key): String(PlistPointer(steps: [key]).description.dropFirst())
            case .any: "*"
            case .deep: "**"
            }
        }
        guard !isAnchored else { return "/" + words.joined(separator: "/") }
        // A text that would be empty, or look like a pattern that begins at the root, gets a leading `**`.
        return words.isEmpty ? "**" : (words[0].isEmpty ? "**/" : "") + words.joined(separator: "/")
    }
}

/// Matches the steps of a place with those of a pattern, some of which match any number of steps.
enum DeepMatching {
    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    @inline(__always)
    static func matches<Step, Word>(
        _ steps: [Step], _ place: [Word], isDeep: (Step) -> Bool, fits: (Step, Word) -> Bool
    ) -> Bool {
        var (step, at) = (0, 0)
        // The position to continue from if the steps after the last deep step don't match.
        var retry: (step: Int, at: Int)?
        while at < place.count {
            if step < steps.count, isDeep(steps[step]) {
                retry = (step + 1, at)
                step += 1
            } else if step < steps.count, fits(steps[step], place[at]) {
                step += 1
                at += 1
            } else if let (from, tried) = retry {
                retry = (from, tried + 1)
                (step, at) = (from, tried + 1)
            } else {
                return false
            }
        }
        while step < steps.count, isDeep(steps[step]) { step += 1 }
        return step == steps.count
    }
}
