import CapsulePropertyList

extension ChangeMatch {
    /// Whether a change may fit that was not found, since the content was compared by lesser means.
    func mayFit(behind fallback: HandlerFallback) -> Bool {
        if let archive = fallback.archive {
            guard let pointer, kinds.map({ !$0.isDisjoint(with: .ofPlaces) }) ?? true else { return false }
            return !isAboutTables && pointer.mayMatch(below: archive.steps + [PlistPlace.archiveStep])
        }
        let hidden = fallback.hiddenKinds
        return !isAboutPathsAlone && mayFit(hidden) && kinds.map { !$0.isDisjoint(with: hidden) } ?? true
    }

    /// Whether a change may fit that a line of no change stands for: its content was compared by lesser means, or in part.
    func mayFit(behind content: ChangeDetail.Content) -> Bool {
        switch content {
        case .fallback(let fallback): mayFit(behind: fallback)
        case .limit(let limit): !limit.isJudged && needsDetail
        default: false
        }
    }

    /// Whether a part of a line fits, or with what is not known may fit: inside of it, too.
    func mayFit(_ part: DetailPart, assumingUnknown: Bool) -> Bool {
        fits(part, assumingUnknown: assumingUnknown) || assumingUnknown && fitsInside(part) != .nothing
    }

    /// Whether a match that asks for metadata may fit facts that were not compared.
    func mayFit(metadata facts: MetadataGap.Facts) -> Bool {
        guard let kinds, kinds.contains(.metadata), mayFit(.metadata) else { return false }
        guard facts == .mode else { return true }
        // A mode is never absent.
        return ![from, to].contains { $0?.fits(nil) ?? false }
    }

    /// Whether a place may fit in data that was not looked into.
    ///
    /// - Parameters:
    ///   - place: where the data is.
    ///   - others: what else the line of such a place is.
    func mayFit(inDataAt place: [PlistString], with others: ChangeKinds = []) -> Bool {
        guard let pointer, kinds.map({ !$0.isDisjoint(with: others.union(.ofPlaces)) }) ?? true else { return false }
        return PlistPlace.documentSteps.contains { pointer.mayMatch(below: place + [$0]) }
    }
}

extension ChangeKinds {
    /// What a place of a property list may be.
    static let ofPlaces: ChangeKinds = [.value, .encoding, .added, .deleted, .modified, .order]
}

extension HandlerFallback {
    /// The kinds of changes that the handler would have found.
    fileprivate var hiddenKinds: ChangeKinds {
        switch from {
        case "plist", "json": .ofPlaces
        // With places of property lists in columns.
        case "sqlite": ChangeKinds.ofPlaces.union([.row, .schema])
        case "cookies": ChangeKinds.ofPlaces.union(.cookie)
        case "image": [.image, .modified]
        case "text": [.text, .encoding, .modified]
        default: ChangeKinds.all.subtracting([.renamed, .type, .metadata])
        }
    }
}

extension ChangeDetail {
    /// The kinds of places that may be inside of what a line reports as a whole.
    var kindsInside: ChangeKinds {
        switch content {
        case .value, .row: .ofPlaces
        default: []
        }
    }
}
