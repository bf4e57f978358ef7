import CapsuleCore

extension MergeOptions {
    /// What decides conflicts.
    ///
    /// - Throws: for resolutions of other inputs.
    func decisions(
        for inputs: (base: ConflictsDocument.Input, ours: ConflictsDocument.Input, theirs: ConflictsDocument.Input)
    ) throws(CapsuleError) -> MergeDecisions {
        guard let resolutions else { return MergeDecisions(preferences: preferences) }
        for (known, found, name) in [
            (resolutions.base, inputs.base, "BASE"), (resolutions.ours, inputs.ours, "OURS"),
            (resolutions.theirs, inputs.theirs, "THEIRS"),
        ] where known.digest != found.digest {
            throw CapsuleError(
                "differs from the \(name) that the conflicts file was written for", path: HostPath(found.source),
                hint: "merge again with '--conflicts' to list the current conflicts")
        }
        return MergeDecisions(resolutions: resolutions.resolutions, preferences: preferences)
    }

    /// - Throws: where the result or the conflicts would take the place of one of the three, or of each other, or of what may not
    ///   go.
    func refuse(_ output: HostPath, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        let places = ReadPlaces(inputs)
        try places.refuse(output)
        guard let conflictsFile else { return }
        try places.refuse(conflictsFile, flag: "--conflicts")
        try OutputPlaces.refuse([(output, "-o"), (conflictsFile, "--conflicts")])
        if conflictsFile != .standardStream {
            try FileProbe.checkTarget(conflictsFile, as: .file, replacing: replaces, flag: "--conflicts")
        }
    }

    /// Writes down all conflicts, before anything is written that has them decided.
    func list(_ outcome: MergeOutcome) throws(CapsuleError) {
        if let conflictsFile { try ConflictsFile.write(outcome.document, to: conflictsFile, replacing: replaces) }
    }

    /// What to say of preferences that concern none of the conflicts: what they name may be misspelled.
    func notes(on decisions: MergeDecisions) -> [String] {
        if decisions.conflicts.isEmpty { return [] }
        return preferences.filter { preference in !decisions.conflicts.contains(where: preference.concerns) }
            .map { "no conflict matches '--prefer \($0.text)'" }
    }

    /// - Throws: where what was decided does not go with the conflicts that there are.
    func check(_ decisions: MergeDecisions) throws(CapsuleError) {
        guard let resolutions else { return }
        let found = Set(decisions.conflicts.map(\.id))
        if let unknown = resolutions.conflicts.first(where: { !found.contains($0.id) }) {
            throw CapsuleError(
                "the merge has no conflict '\(unknown.id)' among its \(found.count)",
                hint: "don't change an 'Id' that the merge wrote")
        }
        let listed = Dictionary(resolutions.conflicts.map { ($0.id, $0) }) { first, _ in first }
        if let missing = decisions.conflicts.first(where: { listed[$0.id] == nil }) {
            throw CapsuleError(
                "the resolutions don't list the conflict '\(missing.id)'",
                hint: "keep every conflict in the file: one without 'Take' stays open")
        }
        // The numbers go by these inputs, and by what else the merge was told.
        for conflict in decisions.conflicts where listed[conflict.id]?.isAbout(conflict) == false {
            throw CapsuleError(
                "conflict '\(conflict.id)' is not the one in the resolutions",
                path: conflict.path.map { HostPath($0.bytes) },
                hint: "merge again with '--conflicts', then use the same '--arrays'")
        }
        if let unfit = decisions.unfitNumbers.first, let conflict = decisions.conflicts.first(where: { $0.id == unfit }) {
            throw CapsuleError(
                "the value in the resolutions for conflict '\(unfit)' does not fit there",
                path: conflict.path.map { HostPath($0.bytes) },
                hint: "a conflict of kind '\(conflict.kind.rawValue)' takes a value of the same type as its sides")
        }
    }
}
