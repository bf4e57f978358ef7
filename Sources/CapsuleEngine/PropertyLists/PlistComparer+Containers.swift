public import CapsuleCore
import CapsulePropertyList

extension PlistComparer.Outcome {
    /// The same as of two containers that hold the one property list each, under the newer one's name.
    public var containerDiff: ContainerDiff {
        var details = diff.changes.map { ChangeDetail(.value($0)) }
        if diff.encodingsDiffer {
            let words = [old, new].map { $0.document.format.word }
            details.append(ChangeDetail(.encoding(EncodingChange(old: words[0], new: words[1]))))
        }
        for bound in diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            details.append(
                ChangeDetail(.limit(DetailLimit(bound.rawValue, limit: bound == .changes ? UInt64(diff.changes.count) : nil))))
        }
        let name = (try? RelativePath(validating: new.name)) ?? .root
        return ContainerDiff(
            old: ContainerDiff.Side(source: old.path.bytes), new: ContainerDiff.Side(source: new.path.bytes),
            entries: details.isEmpty ? [] : [EntryChange(.modified, at: name, handler: "plist", details: details)],
            isComplete: diff.bounds.isEmpty)
    }
}
