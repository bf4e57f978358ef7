/// Files that a side renamed, whose content stayed the same: what the other side did to them goes along.
extension TreeMergePlanner {
    /// Makes one step of a file and the place that it was moved to.
    mutating func followMoves() {
        let (own, others) = (moves(of: .ours), moves(of: .theirs))
        for from in Set(own.keys).union(others.keys).sorted() where isFree(from) {
            switch (own[from], others[from]) {
            case (let place?, let other?) where place == other:
                guard isFree(place), let base = numbers[from]?.base, var moved = numbers[place] else { continue }
                moved.base = base
                taken.formUnion([from, place])
                steps.append(TreeMerge.Step(place: place, work: .entry(moved, vacated: nil)))
            case (let place?, let other?):
                take(
                    from, moved: [.ours: place, .theirs: other], as: .renameRename,
                    "ours renamed it to '\(place.path)', theirs to '\(other.path)'")
            case (let place?, nil):
                follow(from, to: place, by: .ours)
            case (nil, let place?):
                follow(from, to: place, by: .theirs)
            case (nil, nil):
                break
            }
        }
    }

    /// The places that files of the base left, with those to which they came.
    private func moves(of side: Side) -> [Place: Place] {
        var moves: [Place: Place] = [:]
        for item in items[side] ?? [] {
            guard case .renamed = item.kind, let old = item.old, let new = item.new else { continue }
            let (from, to) = (sides[.base].entries[old], sides[side].entries[new])
            let (left, place) = (Place(root: from.root, path: from.path), Place(root: to.root, path: to.path))
            if isFree(place) { moves[left] = place }
        }
        return moves
    }

    /// Takes what the other side did to a file that one side renamed to where it is now.
    private mutating func follow(_ from: Place, to place: Place, by side: Side) {
        let other: Side = side == .ours ? .theirs : .ours
        guard let left = numbers[from], let base = left.base, let new = numbers[place] else { return }
        guard let number = left[other] else {
            // What the other side has there instead is held against it there.
            if new[other] != nil { return }
            return take(
                from, moved: [side: place], as: .modifyDelete, "\(side) renamed it to '\(place.path)', \(other) deleted it")
        }
        let isSame = sides.areSame(.base, base, other, number)
        switch sides[other].entries[number].kind {
        case .directory, .identity: return
        case .link:
            return take(
                from, moved: [side: place], as: .renameModify,
                "\(side) renamed it to '\(place.path)', \(other) replaced it with a link"
            )
        case .file: break
        }
        if new[other] != nil {
            if isSame { return }
            return take(
                from, moved: [side: place], as: .renameModify,
                "\(side) renamed it to '\(place.path)', \(other) changed it and has a different file there")
        }
        taken.formUnion([from, place])
        let moved =
            side == .ours
            ? Numbers(base: base, ours: new.ours, theirs: number) : Numbers(base: base, ours: number, theirs: new.theirs)
        steps.append(TreeMerge.Step(place: place, work: .entry(moved, vacated: from)))
    }
}
