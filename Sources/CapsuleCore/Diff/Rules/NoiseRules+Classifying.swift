extension NoiseRules {
    /// Says of each line of a comparison which class of noise it is, if it is any.
    ///
    /// What handlers have found to be noise stays that, unless a user's rule says otherwise.
    public func classify(_ diff: inout ContainerDiff) {
        for index in diff.entries.indices { classify(&diff.entries[index]) }
    }

    /// The class of an entry and of all that may be found inside of it; nil if what is inside has a say, or it is no noise.
    ///
    /// So that nobody need look inside.
    public func settles(_ entry: EntryChange) -> NoiseClass? {
        if case .renamed(let from) = entry.kind, settles(entry, by: paths.candidates(for: from)) == nil { return nil }
        return settles(entry, by: paths.candidates(for: entry.path))
    }

    private func settles(_ entry: EntryChange, by candidates: [Int]) -> NoiseClass? {
        for number in candidates.reversed() {
            let rule = rules[number]
            if rule.match.isAboutPathsAlone { return rule.noise == .signal ? nil : rule.noise }
            if rule.match.needsDetail || rule.match.mayFit(entry) { return nil }
        }
        return nil
    }

    /// The rules that the path of an entry fits.
    func ofEntry(at path: RelativePath) -> OfEntry { OfEntry(self, paths.candidates(for: path)) }

    // MARK: One entry

    private func classify(_ entry: inout EntryChange) {
        let rulesOfEntry = ofEntry(at: entry.path)
        let candidates = rulesOfEntry.candidates
        guard !candidates.isEmpty else { return }
        // What the last of the rules says of paths alone holds for whatever no later rule fits.
        if entry.countsItself {
            let known = entry.noise
            entry.noise = decide(candidates, known: known) { match, _ in match.fitsLine(of: entry) }
            // What leaves a place of noise for another, or comes from it, is noise only if it is at both.
            if case .renamed(let from) = entry.kind, entry.noise != nil,
                decide(paths.candidates(for: from), known: known, { match, _ in match.fitsLine(of: entry) }) == nil
            {
                entry.noise = nil
            }
        }
        if entry.unshown.mayBeSignal { entry.noise = nil }
        entry.mayHideSignal = false
        for index in entry.details.indices {
            if entry.details[index].isChange {
                rulesOfEntry.classify(&entry.details[index])
            } else {
                classifyUnknown(&entry.details[index], candidates, &entry.mayHideSignal)
            }
        }
    }

    /// Classes a line of what was not looked at. It is noise only where all is, whatever it may be.
    ///
    /// - Parameter mayBeSignal: set where a rule may fit what was not looked at, and takes it out of noise.
    private func classifyUnknown(_ detail: inout ChangeDetail, _ candidates: [Int], _ mayBeSignal: inout Bool) {
        detail.noise = nil
        for number in candidates.reversed() {
            let rule = rules[number]
            if rule.match.isAboutPathsAlone {
                if rule.noise != .signal { detail.noise = rule.noise }
                return
            }
            guard rule.noise == .signal, rule.match.mayFit(behind: detail.content) else { continue }
            noteUse(of: number)
            mayBeSignal = true
            return
        }
    }

    /// What the last rule says that fits, of all of them or, where the class is known, of a user's.
    ///
    /// A rule that takes changes out of noise fits what it may fit: a value that is not known is not hidden as noise.
    ///
    /// - Parameter fits: also told whether values that are not known are taken to fit.
    func decide(_ candidates: [Int], known: NoiseClass?, _ fits: (ChangeMatch, Bool) -> Bool) -> NoiseClass? {
        for number in candidates.reversed() {
            if known != nil, number < builtInCount { break }
            guard fits(rules[number].match, rules[number].noise == .signal) else { continue }
            noteUse(of: number)
            return rules[number].noise == .signal ? nil : rules[number].noise
        }
        return known
    }
}

extension ChangeMatch {
    /// Whether a match without details' keys may fit the line of an entry or a line inside of it.
    fileprivate func mayFit(_ entry: EntryChange) -> Bool {
        guard let kinds else { return true }
        // A directory or a link has nothing inside that comes or goes.
        let inside: ChangeKinds =
            [entry.old, entry.new].contains { $0?.kind == .file } || (entry.old ?? entry.new) == nil
            ? ChangeKinds.all.subtracting([.renamed, .type]) : [.metadata, .modified]
        return !kinds.isDisjoint(with: entry.kinds.union(inside))
    }
}
