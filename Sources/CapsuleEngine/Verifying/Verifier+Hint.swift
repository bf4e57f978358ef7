import CapsuleCore

extension Verifier.Outcome {
    /// What to do about the findings: nothing that fails for the same reason, and so would lead back here.
    ///
    /// - Parameter versions: all that there are, newest first.
    func hint(for path: HostPath, versions: [UInt32]) -> String {
        let sound = versionsWithoutFindings(among: versions)
        var hints: [String] = []
        if !sound.isEmpty {
            let kept = VersionNumbers(sound)
            hints.append("'capsule compact --keep \(kept.list) \(path)' keeps \(kept), without findings")
        }
        if let newest = versions.first, !unreadable.contains(newest) {
            hints.append(
                "'capsule unpack \(path) PATH' extracts a file that is not damaged; 'capsule pack --append' stores again what the container still has"
            )
        } else if let number = sound.first {
            hints.append("'capsule unpack \(path)@\(number)' extracts version \(number)")
        } else if let number = versions.first(where: { !unreadable.contains($0) }) {
            hints.append("'capsule unpack \(path)@\(number) PATH' extracts a file that is not damaged")
        } else {
            hints.append("tar may still extract files from it")
        }
        return hints.joined(separator: "; ")
    }
}
