public import CapsulePropertyList

/// A pattern over the places of a property list: `*` is one key or index, `**` any number of them.
///
/// With a leading `/` it begins at the root, else anywhere: `**/` is meant. (docs/overlay.md, section 2)
public struct PointerPattern: Hashable, Sendable {
    /// One step of a pattern.
    enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        case deep
    }

    let steps: [Step]

    /// How much it says: the number of its literal steps. Of several patterns that fit, the one that says most counts.
    public var weight: Int {
        steps.count { step in
            if case .literal = step { true } else { false }
        }
    }

    /// Reads a pattern; steps are escaped as in a pointer (RFC 6901), `~0` and `~1`.
    ///
    /// - Throws: `invalid` for an empty pattern or a `~` that is neither.
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

    /// Whether all of a place fits.
    public func matches(_ place: PlistPointer) -> Bool { matches(place.steps) }

    /// Whether all steps of a place fit, in time linear in both.
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
    /// As it may be written: `A/*/B`, `/A/**/B`.
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
        // What would read as nothing, or as a pattern that begins at the root, says that it begins anywhere.
        return words.isEmpty ? "**" : (words[0].isEmpty ? "**/" : "") + words.joined(separator: "/")
    }
}

/// Holds the steps of a place against those of a pattern, of which some stand for any number of steps.
enum DeepMatching {
    /// Whether all steps of a place fit, in time linear in both.
    @inline(__always)
    static func matches<Step, Word>(
        _ steps: [Step], _ place: [Word], isDeep: (Step) -> Bool, fits: (Step, Word) -> Bool
    ) -> Bool {
        var (step, at) = (0, 0)
        // Where to go on from when what follows the last deep step does not fit.
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
