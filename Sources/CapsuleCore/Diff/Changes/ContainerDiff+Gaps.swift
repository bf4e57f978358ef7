extension ContainerDiff {
    /// Whether all that differs was found, so that every count is exact; otherwise there are at least so many changes.
    ///
    /// A comparison that found all need not keep all: ``isComplete`` says whether it did.
    public var isExact: Bool {
        (isComplete || saysWhatIsMissing) && !entries.contains { $0.details.contains { $0.isGap } }
    }

    /// Whether entries say why the comparison is not complete.
    var saysWhatIsMissing: Bool {
        entries.contains { entry in
            !entry.unshown.isEmpty
                || entry.details.contains { if case .limit = $0.content { true } else { $0.isGap } }
        }
    }

    /// The changes that the comparison kept, noise among them.
    public var keptChanges: Int {
        entries.reduce(0) { $0 + $1.details.count { $0.isChange } + ($1.countsItself ? 1 : 0) }
    }

    /// The changes that the comparison found and did not keep, noise among them.
    public var unshownChanges: Int { entries.reduce(0) { $0 + $1.unshown.count } }

    /// What was not compared, on one line.
    var gapText: String {
        let gaps = entries.lazy.flatMap { entry in entry.details.lazy.compactMap { $0.gap.map { "\(entry.path): \($0)" } } }
        let shown = Array(gaps.prefix(4))
        if shown.isEmpty { return "not everything was compared" }
        return shown.prefix(3).joined(separator: "; ") + (shown.count > 3 ? "; and more" : "")
    }
}

extension ChangeDetail {
    /// Why there may be more changes than are known; nil where there are not.
    fileprivate var gap: String? {
        guard isGap else { return nil }
        switch content {
        case .limit(let limit): return limit.reason
        case .fallback(let fallback): return fallback.reason
        default: return nil
        }
    }
}

extension DetailLimit {
    /// What ended the comparison, with the number of the limit.
    public var reason: String {
        let place = table.map { " in table \($0)" } ?? ""
        let number = limit.map { "\($0) " } ?? ""
        switch what {
        case Self.time: return "the limit of \(number)seconds per database was reached\(place)"
        case "changes": return "the limit of \(number)changes was reached\(place)"
        case "depth": return "a value nested too deep was compared as a whole"
        case "nestedDocuments": return "property lists in data that are nested too deep or too large were compared as data"
        case "elements": return "there are too many similar array elements to pair"
        default: return "the limit of \(what) was reached\(place)"
        }
    }
}
