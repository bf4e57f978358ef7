import CapsuleCore

extension Verifier {
    /// Findings with the same message. One damaged place may be in many files, and each file in many versions.
    package struct Group: Sendable, Hashable {
        package let message: String
        /// The versions that the findings are about; empty if they are about the file.
        package fileprivate(set) var versions: [UInt32] = []
        /// The tree paths of the files that the findings are about, each once.
        package fileprivate(set) var paths: [[UInt8]] = []
    }
}

extension Verifier.Outcome {
    /// The findings, grouped by message, in the order of the first finding of each group.
    package var groups: [Verifier.Group] {
        var groups: [Verifier.Group] = []
        var places: [FindingKey: Int] = [:]
        var seen: Set<Path> = []
        for finding in findings {
            let key = FindingKey(message: finding.message, hasPath: finding.path != nil)
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

    private struct FindingKey: Hashable {
        let message: String
        let hasPath: Bool
    }

    private struct Path: Hashable {
        let group: Int
        let path: [UInt8]
    }

    func versionsWithoutFindings(among versions: [UInt32]) -> [UInt32] {
        if findings.contains(where: { $0.version == nil }) { return [] }
        let damaged = Set(findings.compactMap(\.version))
        return versions.filter { !damaged.contains($0) }
    }

    /// Returns the hint for a damaged capsule. It names no command that would fail for the same reason.
    /// - Parameter versions: all versions of the capsule, newest first.
    func hint(for path: HostPath, versions: [UInt32]) -> String {
        let sound = versionsWithoutFindings(among: versions)
        var hints: [String] = []
        if !sound.isEmpty {
            let kept = VersionNumbers(sound)
            let state = sound.count == 1 ? "is OK" : "are OK"
            hints.append(
                "'capsule compact --keep \(kept.list) \(path.shellWord)' keeps \(kept), which \(state), and removes the others")
        }
        if let newest = versions.first, !unreadable.contains(newest) {
            hints.append(
                "'capsule unpack \(path.shellWord) PATH' extracts a file that is not damaged; 'capsule pack --append' stores again what the container still has"
            )
        } else if let number = sound.first {
            hints.append("'capsule unpack \(path.shellWord)@\(number)' extracts version \(number)")
        } else if let number = versions.first(where: { !unreadable.contains($0) }) {
            hints.append("'capsule unpack \(path.shellWord)@\(number) PATH' extracts a file that is not damaged")
        } else {
            hints.append("tar may still extract files from it")
        }
        return hints.joined(separator: "; ")
    }
}
