extension Verifier {
    /// Findings that say the same: one damaged place may be in many files, and each of them in many versions.
    public struct Group: Sendable, Hashable {
        /// Lower case, no period.
        public let message: String
        /// The versions that it is about; none for what is about the file.
        public fileprivate(set) var versions: [UInt32] = []
        /// The tree paths of the files that it is about, each once.
        public fileprivate(set) var paths: [[UInt8]] = []
    }
}

extension Verifier.Outcome {
    /// The findings, those that say the same together, in the order of the first of each.
    public var groups: [Verifier.Group] {
        var groups: [Verifier.Group] = []
        var places: [Key: Int] = [:]
        var seen: Set<Path> = []
        for finding in findings {
            let key = Key(message: finding.message, isOfFile: finding.path != nil)
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(Verifier.Group(message: finding.message))
            }
            if let version = finding.version, groups[place].versions.last != version { groups[place].versions.append(version) }
            if let path = finding.path, seen.insert(Path(group: place, path: path)).inserted { groups[place].paths.append(path) }
        }
        return groups
    }

    private struct Key: Hashable {
        let message: String
        let isOfFile: Bool
    }

    private struct Path: Hashable {
        let group: Int
        let path: [UInt8]
    }

    /// The versions of some in which nothing was found.
    func versionsWithoutFindings(among versions: [UInt32]) -> [UInt32] {
        if findings.contains(where: { $0.version == nil }) { return [] }
        let damaged = Set(findings.compactMap(\.version))
        return versions.filter { !damaged.contains($0) }
    }
}
