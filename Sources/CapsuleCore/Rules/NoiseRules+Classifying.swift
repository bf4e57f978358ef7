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

extension NoiseRules {
    /// The rules that one entry's path fits. They class what is inside of the entry.
    struct OfEntry: Sendable {
        private let all: NoiseRules
        /// The numbers of the rules, in order.
        let candidates: [Int]
        /// Whether one of them takes changes out of noise.
        private let hasSignals: Bool

        init(_ all: NoiseRules, _ candidates: [Int]) {
            self.all = all
            self.candidates = candidates
            hasSignals = candidates.contains { all.rules[$0].noise == .signal }
        }

        /// Whether rows of a table may be noise.
        ///
        /// - Parameter names: what rules may call the table; nil if only the rows tell.
        func mayConcern(tables names: [String]?) -> Bool {
            candidates.contains { all.rules[$0].match.mayConcern(tables: names) }
        }

        /// Whether a rule may take an entry out of noise for what is in it.
        var mayTakeOutInside: Bool {
            hasSignals && candidates.contains { all.rules[$0].noise == .signal && all.rules[$0].match.needsDetail }
        }

        /// Whether a rule takes an entry that one side alone has out of noise, for a change in it.
        func takesOut(_ detail: ChangeDetail) -> Bool {
            let parts = DetailPart.parts(of: detail)
            return takesOut { match, isSignal in parts.contains { match.mayFit($0, assumingUnknown: isSignal) } }
        }

        /// Whether a rule may take such an entry out of noise, for what can't be looked at.
        func mayTakeOut(_ content: ChangeDetail.Content) -> Bool {
            takesOut { match, isSignal in isSignal && match.mayFit(behind: content) }
        }

        private func takesOut(_ fits: (ChangeMatch, Bool) -> Bool) -> Bool {
            for number in candidates.reversed() {
                let rule = all.rules[number]
                // What speaks of the entry's own line has the last word, as does what fits the change.
                guard rule.match.needsDetail else { return false }
                guard fits(rule.match, rule.noise == .signal) else { continue }
                if rule.noise == .signal { all.noteUse(of: number) }
                return rule.noise == .signal
            }
            return false
        }

        /// A change with its class.
        func classified(_ content: ChangeDetail.Content) -> ChangeDetail {
            var detail = ChangeDetail(content)
            classify(&detail)
            return detail
        }

        /// Classes a change.
        func classify(_ detail: inout ChangeDetail) {
            guard let last = candidates.last else { return }
            if all.rules[last].match.isAboutPathsAlone {
                classifyAlike(&detail, by: last)
            } else {
                classifyByPlace(&detail)
            }
        }

        /// Gives a line the class of a rule that fits all lines.
        private func classifyAlike(_ detail: inout ChangeDetail, by number: Int) {
            if number < all.builtInCount, detail.noise != nil { return }
            all.noteUse(of: number)
            let noise = all.rules[number].noise == .signal ? nil : all.rules[number].noise
            detail.noise = noise
            guard case .row(var row) = detail.content, row.operation == .modified else { return }
            for index in row.columns.indices { row.columns[index].noise = noise }
            detail.content = .row(row)
        }

        private func classifyByPlace(_ detail: inout ChangeDetail) {
            var kinds = detail.kinds
            if hasSignals { kinds.formUnion(detail.kindsInside) }
            var isPlain = false
            if case .row(let row) = detail.content { isPlain = row.isPlain }
            let candidates = candidates.filter { all.rules[$0].match.mayFit(kinds) && !(isPlain && isOfStores($0)) }
            guard !candidates.isEmpty else { return }
            guard case .row(var row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
                let part = DetailPart.whole(detail)
                detail.noise = all.decide(candidates, known: detail.noise) { $0.mayFit(part, assumingUnknown: $1) }
                return
            }
            var isChanged = false
            for index in row.columns.indices {
                let known = row.columns[index].noise ?? detail.noise
                var noise: NoiseClass?
                for (number, part) in DetailPart.parts(of: row.columns[index], in: row).enumerated() {
                    guard let found = all.decide(candidates, known: known, { $0.mayFit(part, assumingUnknown: $1) }) else {
                        noise = nil
                        break
                    }
                    if number == 0 { noise = found }
                }
                isChanged = isChanged || noise != row.columns[index].noise
                row.columns[index].noise = noise
            }
            detail.noise = row.columns.contains { $0.noise == nil } ? nil : row.columns.first?.noise
            if isChanged { detail.content = .row(row) }
        }

        /// Whether a rule is about the tables that Core Data makes, whose names others may use as well.
        private func isOfStores(_ number: Int) -> Bool {
            number < all.builtInCount && all.rules[number].noise == .coreData
        }
    }
}
