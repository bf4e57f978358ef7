public import CapsulePropertyList

extension Overlay {
    /// Applies the overlay to one property list.
    ///
    /// - Parameters:
    ///   - base: nil for one that is missing, which only a target with `Create` makes.
    ///   - context: what conditions and names are answered from, and which targets are meant.
    /// - Throws: an error of any part; nothing of the overlay has then happened.
    public func applied(to base: PlistValue?, in context: OverlayContext = OverlayContext()) throws(OverlayError) -> OverlayResult
    {
        var result = OverlayResult(
            value: base ?? .dictionary(PlistDictionary()), encoding: nil, notes: [], skipped: [], isUntouched: true)
        if let obstacle = context.obstacle(context.conditions + conditions) {
            result.skipped.append(obstacle)
            return result
        }
        guard files.isEmpty || context.targetPath != nil else {
            throw OverlayError(
                .unsupported, "the overlay has a file part, which only applies to containers", in: PlistPointer(steps: ["Files"])
            )
        }
        for (number, target) in try chosen(context) {
            if let obstacle = context.obstacle(target.conditions) {
                result.skipped.append(obstacle)
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
        return result
    }

    /// The targets that are for the property list at hand.
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

    /// Where the value stands that an error is about, if it was merged; else the target.
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
        var run = TargetRun(
            value: result.value, identities: ArrayIdentities(context.arrays + arrays), expansion: expansion(context),
            overlay: self, context: context)
        try run.perform(target)
        result.value = run.value
        result.notes += run.notes
        result.skipped += run.skipped
    }

    private func expansion(_ context: OverlayContext) -> Expansion? {
        context.expands ? Expansion(values: context.values) : nil
    }
}
