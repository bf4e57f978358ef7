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

    // MARK: One entry

    private func classify(_ entry: inout EntryChange) {
        let candidates = paths.candidates(for: entry.path)
        guard !candidates.isEmpty else { return }
        // What the last of the rules says of paths alone holds for whatever no later rule fits.
        if entry.countsItself {
            let known = entry.noise
            entry.noise = decide(candidates, known: known) { $0.fitsLine(of: entry) }
            // What leaves a place of noise for another, or comes from it, is noise only if it is at both.
            if case .renamed(let from) = entry.kind, entry.noise != nil,
                decide(paths.candidates(for: from), known: known, { $0.fitsLine(of: entry) }) == nil
            {
                entry.noise = nil
            }
        }
        // What was not looked at is noise only where all is, whatever it may be.
        let ofPath = candidates.last { rules[$0].match.isAboutPathsAlone }
        for index in entry.details.indices where !entry.details[index].isChange {
            entry.details[index].noise = ofPath.map { rules[$0].noise }.flatMap { $0 == .signal ? nil : $0 }
        }
        if let last = candidates.last, rules[last].match.isAboutPathsAlone {
            for index in entry.details.indices where entry.details[index].isChange {
                classifyAlike(&entry.details[index], by: last)
            }
            return
        }
        for index in entry.details.indices where entry.details[index].isChange {
            classify(&entry.details[index], by: candidates)
        }
    }

    /// Gives a line the class of a rule that fits all lines.
    private func classifyAlike(_ detail: inout ChangeDetail, by number: Int) {
        if number < builtInCount, detail.noise != nil { return }
        noteUse(of: number)
        let noise = rules[number].noise == .signal ? nil : rules[number].noise
        detail.noise = noise
        guard case .row(var row) = detail.content, row.operation == .modified else { return }
        for index in row.columns.indices { row.columns[index].noise = noise }
        detail.content = .row(row)
    }

    private func classify(_ detail: inout ChangeDetail, by candidates: [Int]) {
        let kinds = detail.kinds
        var isPlain = false
        if case .row(let row) = detail.content { isPlain = row.isPlain }
        let candidates = candidates.filter { rules[$0].match.mayFit(kinds) && !(isPlain && isOfStores($0)) }
        guard !candidates.isEmpty else { return }
        guard case .row(var row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
            let part = DetailPart.whole(detail)
            detail.noise = decide(candidates, known: detail.noise) { $0.fits(part) }
            return
        }
        var isChanged = false
        for index in row.columns.indices {
            let known = row.columns[index].noise ?? detail.noise
            var noise: NoiseClass?
            for (number, part) in DetailPart.parts(of: row.columns[index], in: row).enumerated() {
                guard let found = decide(candidates, known: known, { $0.fits(part) }) else {
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
    private func isOfStores(_ number: Int) -> Bool { number < builtInCount && rules[number].noise == .coreData }

    // MARK: Rows, while they are compared

    /// Whether rows of a table may be noise.
    public func mayConcern(table: String, in path: RelativePath) -> Bool {
        paths.candidates(for: path).contains { rules[$0].match.mayConcern(table: table) }
    }

    /// Whether a row of an entry's database is noise.
    public func isNoise(_ row: RowChange, in path: RelativePath) -> Bool {
        let candidates = paths.candidates(for: path)
        var detail = ChangeDetail(.row(row))
        if let last = candidates.last, rules[last].match.isAboutPathsAlone {
            classifyAlike(&detail, by: last)
        } else {
            classify(&detail, by: candidates)
        }
        return detail.noise != nil
    }

    /// What the last rule says that fits, of all of them or, where the class is known, of a user's.
    private func decide(_ candidates: [Int], known: NoiseClass?, _ fits: (ChangeMatch) -> Bool) -> NoiseClass? {
        for number in candidates.reversed() {
            if known != nil, number < builtInCount { break }
            guard fits(rules[number].match) else { continue }
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
