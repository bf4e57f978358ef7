/// Comparisons of two entries. Their paths don't matter, and a fact that one side does not know is not a difference.
extension TreeEntry {
    /// The mode; nil for links, and if it is unknown.
    package var knownMode: FileMode? { kind == .link || unknown.contains(.mode) ? nil : mode }
    package var knownAttributes: [ExtendedAttribute]? { unknown.contains(.attributes) ? nil : attributes }

    /// Returns true if both are files with the same bytes, links with the same target, or directories. A file that could not be read
    /// differs from all others.
    package func hasContent(of other: TreeEntry) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .file, .identity:
            return size == other.size && digest == other.digest && !unknown.union(other.unknown).contains(.content)
        case .link: return target == other.target
        case .directory: return true
        }
    }

    /// Returns true if both entries have the same content and metadata, apart from their times, as far as both are known.
    package func isSame(as other: TreeEntry) -> Bool {
        hasContent(of: other) && (knownMode ?? other.knownMode) == (other.knownMode ?? knownMode)
            && (knownAttributes ?? other.knownAttributes) == (other.knownAttributes ?? knownAttributes)
    }

    /// Returns the metadata in which an entry of the same kind differs from an older one, as far as both are known.
    func metadataChanges(from old: TreeEntry, times: Bool) -> [MetadataChange] {
        var changes: [MetadataChange] = []
        if let before = old.knownMode, let after = knownMode, before != after {
            changes.append(MetadataChange(.mode, old: .text(before.octal), new: .text(after.octal)))
        }
        if let before = old.knownAttributes, let after = knownAttributes, before != after {
            changes += Self.attributeChanges(before, after)
        }
        if times, old.modified != modified {
            changes.append(
                MetadataChange(
                    .modified, old: .text(old.modified.iso8601(fraction: true)), new: .text(modified.iso8601(fraction: true))))
        }
        return changes
    }

    private static func attributeChanges(_ old: [ExtendedAttribute], _ new: [ExtendedAttribute]) -> [MetadataChange] {
        let oldValues = Dictionary(old.map { ($0.name, $0.value) }) { first, _ in first }
        let newValues = Dictionary(new.map { ($0.name, $0.value) }) { first, _ in first }
        return Set(oldValues.keys).union(newValues.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
            let (before, after) = (oldValues[name], newValues[name])
            guard before != after else { return nil }
            return MetadataChange(.attribute(name), old: before.map { .bytes($0) }, new: after.map { .bytes($0) })
        }
    }

    /// Returns the metadata that can't be compared, because only one of two entries of the same kind has them.
    func gaps(from old: TreeEntry) -> [MetadataGap] {
        let unmatched = unknown.symmetricDifference(old.unknown)
        var gaps: [MetadataGap] = []
        if kind != .link, unmatched.contains(.mode) { gaps.append(MetadataGap(path: path, facts: .mode)) }
        if unmatched.contains(.attributes), !(knownAttributes ?? old.attributes).isEmpty {
            gaps.append(MetadataGap(path: path, facts: .attributes))
        }
        return gaps
    }
}
