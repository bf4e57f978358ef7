/// What both sides made of one place, or of names that may be one: it can only be one side's.
extension TreeMergePlanner {
    /// A file on one side, and a directory on the other, which neither has from the base as it is.
    mutating func findClashes() {
        for place in places where !isCovered(place) {
            guard let numbers = numbers[place], let ours = numbers.ours, let theirs = numbers.theirs else { continue }
            let isDirectory = (
                ours: sides[.ours].entries[ours].kind == .directory, theirs: sides[.theirs].entries[theirs].kind == .directory
            )
            guard isDirectory.ours != isDirectory.theirs else { continue }
            let (file, directory): (Side, Side) = isDirectory.ours ? (.theirs, .ours) : (.ours, .theirs)
            if let base = numbers.base, let number = numbers[file] {
                if sides.areSame(.base, base, file, number) { continue }
                if sides[.base].entries[base].kind == .directory, !hasChange(directory, atOrBelow: place) { continue }
            }
            let reason =
                "\(file) has a \(sides.entry(file, numbers[file])?.kind.word ?? "file") here, \(directory) has a directory"
            cover([place], as: .fileDirectory, reason)
        }
    }

    /// Names that one side made each, and that some file systems take for one.
    mutating func findTwins() {
        var names: [Name: (ours: [Place], theirs: [Place])] = [:]
        for place in places {
            if isMade(place, by: .ours), let name = Name(place) { names[name, default: ([], [])].ours.append(place) }
            if isMade(place, by: .theirs), let name = Name(place) { names[name, default: ([], [])].theirs.append(place) }
        }
        let twins = names.values.filter { !$0.ours.isEmpty && !$0.theirs.isEmpty }.map { ($0.ours + $0.theirs).sorted() }
        // Directories come before what is in them, which goes with them.
        for group in twins.sorted(by: { $0[0] < $1[0] }) {
            let free = group.filter { !isCovered($0) }
            guard let first = free.first, let last = free.last,
                [Side.ours, .theirs].allSatisfy({ side in free.contains { isMade($0, by: side) } })
            else { continue }
            cover(free, as: .fileDirectory, "the names '\(first.path)' and '\(last.path)' are the same name on some file systems")
        }
    }

    /// What is equal for names that a file system may take for one: case, and canonical equivalence, as strings compare.
    private struct Name: Hashable {
        let root: TreeRoot
        let text: String

        init?(_ place: Place) {
            guard let text = String(validating: place.path.bytes, as: UTF8.self) else { return nil }
            self.root = place.root
            self.text = text.lowercased()
        }
    }

    private func isMade(_ place: Place, by side: Side) -> Bool {
        guard let numbers = numbers[place], numbers.base == nil, numbers[side] != nil else { return false }
        return (side == .ours ? numbers.theirs : numbers.ours) == nil
    }
}
