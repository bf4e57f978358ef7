extension TreeMergeRun {
    /// Decides about a database and all that belongs to it: one side's if only that changed any of it, else merged as rows.
    mutating func mergeUnit<Failure: Error>(
        _ unit: TreeMerge.Unit, at main: Place, _ decisions: inout MergeDecisions,
        _ merge: (TreeMerge.Request, inout MergeDecisions) throws(Failure) -> TreeMerge.Merged
    ) throws(Failure) {
        let members = [main] + unit.logs + unit.blobs
        // Processes share a log's index in memory, and what a file of it holds tells nothing.
        let telling = members.filter { !TreeMerge.Unit.isSharedMemory($0) }
        let numbers = sides.numbers(at: main)
        let isAlike = telling.allSatisfy { sides.hasSameContent($0, .ours, .theirs) }
        let hasOurs = hasChange(.ours, in: telling, of: main, numbers)
        let hasTheirs = hasChange(.theirs, in: telling, of: main, numbers)
        if isAlike || !(hasOurs && hasTheirs) {
            let winner: Side? = isAlike || hasOurs == hasTheirs ? nil : hasOurs ? .ours : .theirs
            for member in members { take(member, of: winner, &decisions) }
            return
        }
        var reason: String?
        var kind = numbers.base == nil ? Conflict.Kind.addAdd : .contents
        let files = [Side.ours, .theirs].map { sides.entry($0, numbers[$0])?.kind == .file }
        if files == [true, true] {
            switch try mergeFiles(numbers, at: main, isUnit: true, &decisions, merge) {
            case .success(let made):
                put(withMetadata(made.item, numbers, at: main, &decisions), at: main)
                for log in unit.logs { put(nil, at: log) }
                for blob in unit.blobs {
                    try mergeEntry(sides.numbers(at: blob), at: blob, &decisions, merge)
                    if made.needed.contains(blob.path) { keepFile(at: blob) }
                }
                return
            case .failure(let unfit): reason = unfit.reason
            }
        } else if numbers.base != nil, numbers.ours == nil || numbers.theirs == nil {
            kind = .modifyDelete
            reason = "\(numbers.ours == nil ? Side.ours : .theirs) deleted it"
        }
        settle(
            TreeMerge.Whole(kind: kind, reason: reason ?? "both changed it", places: members), at: main, &decisions)
    }

    /// Whether a side changed any of a unit's contents. Another mode of a database counts if the other side has deleted it.
    private func hasChange(_ side: Side, in members: [Place], of main: Place, _ numbers: Numbers) -> Bool {
        if members.contains(where: { !sides.hasSameContent($0, .base, side) }) { return true }
        let other: Side = side == .ours ? .theirs : .ours
        guard let base = numbers.base, let number = numbers[side], numbers[other] == nil else { return false }
        return !sides.areSame(.base, base, side, number)
    }

    /// Takes a unit's file from the side that alone changed the unit; metadata are merged as ever.
    ///
    /// - Parameter winner: nil where neither did, or both to the same.
    private mutating func take(_ place: Place, of winner: Side?, _ decisions: inout MergeDecisions) {
        let numbers = sides.numbers(at: place)
        var result: Item?
        if let winner {
            result = item(winner, numbers[winner])
        } else if TreeMerge.Unit.isSharedMemory(place), !sides.hasSameContent(place, .ours, .theirs) {
            // It is made anew where it is missing.
            result =
                sides.hasSameContent(place, .base, .ours)
                ? item(.theirs, numbers.theirs)
                : sides.hasSameContent(place, .base, .theirs) ? item(.ours, numbers.ours) : nil
        } else if let ours = numbers.ours, let theirs = numbers.theirs {
            result = item(.ours, ours)
            result?.entry.modified = Self.time(
                sides.entry(.base, numbers.base), sides[.ours].entries[ours], sides[.theirs].entries[theirs])
        }
        put(withMetadata(result, numbers, at: place, &decisions), at: place)
    }

    /// Puts back a file that was decided about, where nothing would be left of it.
    private mutating func keepFile(at place: Place) {
        guard edits[place] == .some(nil) else { return }
        for side in [Side.ours, .theirs, .base] {
            guard let number = sides.number(side, at: place), sides[side].entries[number].kind == .file else { continue }
            return put(item(side, number), at: place)
        }
    }
}

extension TreeMergeSides {
    /// Whether two trees have the same at a place, or both nothing.
    fileprivate func hasSameContent(_ place: Place, _ one: Side, _ other: Side) -> Bool {
        switch (entry(one, at: place), entry(other, at: place)) {
        case (nil, nil): true
        case (let entry?, let otherEntry?): entry.hasContent(of: otherEntry)
        default: false
        }
    }
}
