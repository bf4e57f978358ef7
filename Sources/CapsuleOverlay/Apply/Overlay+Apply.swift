package import CapsuleCore
package import CapsulePropertyList

extension Overlay {
    /// - Parameters:
    ///   - base: the property list; nil for a missing one, which only a target with `Create` creates.
    /// - Throws: the error of any part. The overlay is then not applied at all.
    package func applied(to base: PlistValue?, in context: OverlayContext = OverlayContext()) throws(OverlayError)
        -> OverlayResult
    {
        try DeepThread.run(for: [base] + targets.flatMap(\.values)) { () throws(OverlayError) in
            try appliedHere(to: base, in: context)
        }
    }

    private func appliedHere(to base: PlistValue?, in context: OverlayContext) throws(OverlayError) -> OverlayResult {
        var result = OverlayResult(
            value: base ?? .dictionary(PlistDictionary()), encoding: nil, notes: [], skipped: [], isUntouched: true)
        if let unmetCondition = context.unmetCondition(context.conditions + conditions) {
            result.skipped.append(unmetCondition)
            return result
        }
        guard files.isEmpty || context.targetPath != nil else {
            throw OverlayError(
                .unsupported, "the overlay has a file part, which only applies to containers", in: PlistPointer(steps: ["Files"])
            )
        }
        let chosen = try chosen(context)
        for (number, target) in chosen {
            if let unmetCondition = context.unmetCondition(target.conditions) {
                result.skipped.append(unmetCondition)
                continue
            }
            guard base != nil || target.create != nil || !result.isUntouched else {
                throw OverlayError(
                    .missing, "the property list does not exist", in: source(of: number),
                    hint: "set 'Create' to 'xml' or 'binary' in the target to create it")
            }
            if context.expands { result.notes += target.notesOnUnexpandedKeys() }
            do throws(OverlayError) {
                try apply(target, to: &result, context)
            } catch {
                throw error.located(in: source(of: number, error))
            }
            result.isUntouched = false
            result.encoding = target.encode ?? result.encoding ?? (base == nil ? target.create : nil)
        }
        if !context.expands, let text = chosen.lazy.flatMap(\.1.values).compactMap(\.reference).first, result.value != base {
            result.notes.append(
                OverlayNote("\(text.quoted) is written unexpanded", hint: "'--expand' replaces names by their values"))
        }
        return result
    }

    private func chosen(_ context: OverlayContext) throws(OverlayError) -> [(Int, Target)] {
        let all = Array(targets.enumerated()).map { ($0.offset, $0.element) }
        guard let path = context.targetPath else {
            if let (number, target) = all.first(where: { $0.1.path != nil }), let path = target.path {
                throw OverlayError(
                    .unsupported, "the target has the Path \(PlistString(path).quoted), but the input is a single property list",
                    in: source(of: number), hint: "'--target \(path)' applies only this target")
            }
            return all
        }
        let chosen = all.filter { $0.1.path == path }
        guard !chosen.isEmpty else {
            let known = all.compactMap { $0.1.path }
            throw OverlayError(
                .missing, "no target has the Path \(PlistString(path).quoted)",
                hint: known.isEmpty ? "the overlay's targets have no Path" : "the overlay has \(known.joined(separator: ", "))")
        }
        return chosen
    }

    private func source(of target: Int) -> PlistPointer {
        PlistPointer(steps: targets.count > 1 ? ["Targets", PlistString(String(target))] : [])
    }

    /// Returns the place in the overlay of the merged value that an error is about, or the place of the target.
    private func source(of target: Int, _ error: OverlayError) -> PlistPointer {
        let place = source(of: target).steps
        guard error.isAboutOverlay, let pointer = error.target else { return PlistPointer(steps: place) }
        return PlistPointer(steps: place + (form == .document ? ["Merge"] : []) + pointer.steps)
    }

    private func apply(_ target: Target, to result: inout OverlayResult, _ context: OverlayContext) throws(OverlayError) {
        if form == .mergePatch, let patch = target.merge {
            var run = MergePatch(identities: ArrayIdentities(context.arrays), expansion: expansion(context))
            result.value = try run.applied(patch, to: result.value)
            result.notes += run.notes
            return
        }
        var run = TargetApplier(
            value: result.value, copied: result.copied, identities: ArrayIdentities(context.arrays + arrays),
            expansion: expansion(context), overlay: self, context: context)
        try run.perform(target)
        result.value = run.value
        result.copied = run.copied
        result.notes += run.notes
        result.skipped += run.skipped
    }

    private func expansion(_ context: OverlayContext) -> Expansion? {
        context.expands ? Expansion(values: context.values) : nil
    }
}

/// The circumstances in which an overlay is applied: the names that are set, and the options of the command line.
package struct OverlayContext: Sendable {
    /// The environment, overridden by definitions.
    package var values: [String: String]
    package var conditions: [Condition]
    /// Array rules that take precedence over those of the overlay.
    package var arrays: [ArrayIdentities.Rule]
    package var expands: Bool
    /// The path of the targets to apply if targets have paths; nil if no target may have one.
    package var targetPath: String?
    package var nested: NestedCoding
    /// True if an overlay of which nothing applies is an error.
    package var requires = false

    package init(
        values: [String: String] = [:], conditions: [Condition] = [], arrays: [ArrayIdentities.Rule] = [], expands: Bool = false,
        targetPath: String? = nil, nested: NestedCoding = .standard
    ) {
        self.values = values
        self.conditions = conditions
        self.arrays = arrays
        self.expands = expands
        self.targetPath = targetPath
        self.nested = nested
    }

    /// Returns the state that makes the first unmet condition false, `CONFIGURATION is Release`; nil if all conditions are met.
    package func unmetCondition(_ conditions: [Condition]) -> String? {
        conditions.first { !$0.holds(in: values) }?.state(in: values)
    }
}

/// The result of applying an overlay to a property list.
package struct OverlayResult: Sendable {
    package var value: PlistValue
    /// The encoding that a target requests; nil for the encoding of the base.
    package var encoding: PlistFormat?
    package var notes: [OverlayNote]
    /// The reasons why parts were skipped, one line for each unmet condition: `CONFIGURATION is Release`.
    package var skipped: [String]
    package var isUntouched: Bool
    fileprivate var copied = 0
}

extension Overlay.Target {
    fileprivate var values: [PlistValue] {
        operations.reduce(into: merge.map { [$0] } ?? []) { values, operation in
            switch operation.action {
            case .add(let value), .insert(let value), .replace(let value), .merge(let value), .test(let value):
                values.append(value)
            case .union(let elements), .subtract(let elements): values.append(.array(elements))
            case .remove, .move, .copy: break
            }
        }
    }

    /// Finds references to names in keys. Only references in values are expanded; a key stays as it is spelled.
    ///
    /// - Returns: a note for each such key, with its place; at most ``DeepMerge/noteLimit``.
    func notesOnUnexpandedKeys() -> [OverlayNote] {
        var pending: [(value: PlistValue, place: PlistPointer)] = merge.map { [($0, .root)] } ?? []
        for operation in operations {
            switch operation.action {
            case .add(let value), .insert(let value), .replace(let value), .merge(let value):
                pending.append((value, operation.path))
            case .union(let elements): pending.append((.array(elements), operation.path))
            case .remove, .move, .copy, .test, .subtract: break
            }
        }
        pending.reverse()
        var notes: [OverlayNote] = []
        while let (value, place) = pending.popLast(), notes.count < DeepMerge.noteLimit {
            switch value {
            case .array(let elements):
                for (number, element) in elements.enumerated().reversed() where element.isContainer {
                    pending.append((element, place.appending(index: number)))
                }
            case .dictionary(let entries):
                for (key, value) in entries {
                    if Self.isReference(key) {
                        notes.append(
                            OverlayNote(
                                "the key \(key.quoted) is not expanded: only values are", at: place.appending(key),
                                hint: "write the expanded key"))
                    }
                    if value.isContainer { pending.append((value, place.appending(key))) }
                }
            default: break
            }
        }
        return notes
    }

    fileprivate static func isReference(_ key: PlistString) -> Bool {
        key.withUTF8 { bytes in
            guard bytes.count > 1 else { return false }
            return (1..<bytes.count).contains { end in
                bytes[end - 1] == UInt8(ascii: "$") && (bytes[end] == UInt8(ascii: "(") || bytes[end] == UInt8(ascii: "{"))
            }
        }
    }
}

extension PlistValue {
    /// The first text with a reference to a name, such as `$(NAME)`; nil if there is none.
    fileprivate var reference: PlistString? {
        switch self {
        case .string(let text): Overlay.Target.isReference(text) ? text : nil
        case .array(let elements): elements.lazy.compactMap(\.reference).first
        case .dictionary(let entries): entries.lazy.compactMap(\.value.reference).first
        default: nil
        }
    }

    fileprivate var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }
}

/// Applies a JSON Merge Patch exactly as RFC 7396, section 2, says: null removes a key, and a value that is not an object replaces.
struct MergePatch {
    let identities: ArrayIdentities
    let expansion: Expansion?
    private(set) var notes: [OverlayNote] = []
    private var place: [PlistString] = []

    init(identities: ArrayIdentities, expansion: Expansion? = nil) {
        self.identities = identities
        self.expansion = expansion
    }

    mutating func applied(_ patch: PlistValue, to target: PlistValue) throws(OverlayError) -> PlistValue {
        place = []
        return try merged(patch, target)
    }

    private mutating func merged(_ patch: PlistValue, _ target: PlistValue?) throws(OverlayError) -> PlistValue {
        guard case .dictionary(let entries) = patch else { return try replaced(target, by: patch) }
        var result = target?.dictionary ?? PlistDictionary()
        for position in entries.indices { try merge(entries[position], into: &result) }
        return .dictionary(result)
    }

    private mutating func merge(
        _ entry: PlistDictionary.Element, into result: inout PlistDictionary
    ) throws(OverlayError) {
        guard !entry.value.isNull else {
            result[entry.key] = nil
            return
        }
        place.append(entry.key)
        result[entry.key] = try merged(entry.value, result[entry.key])
        place.removeLast()
    }

    private mutating func replaced(_ target: PlistValue?, by patch: PlistValue) throws(OverlayError) -> PlistValue {
        let value = try expansion?.expanded(patch, at: PlistPointer(steps: place)) ?? patch
        if let base = target?.array, let identity = try identities.identity(at: place), value.array != base {
            addReplacementNote(identity)
        }
        return value
    }

    private mutating func addReplacementNote(_ identity: ArrayIdentity) {
        guard identity != .replace, notes.count < DeepMerge.noteLimit else { return }
        notes.append(
            OverlayNote(
                "the merge patch replaces the whole array, although its identity is \(identity)", at: PlistPointer(steps: place),
                hint: "'--deep' reads the file as a plain overlay, where null removes a key"))
    }
}
