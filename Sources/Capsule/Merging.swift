import CapsuleContainers
public import CapsuleCore
import CapsuleEngine
import CapsuleMerge
import CapsulePropertyList

/// The side of a merge to take where both changed the same thing.
public enum MergeSide: String, Sendable {
    /// The side that the result usually replaces.
    case ours
    /// The side that is merged into ours.
    case theirs

    fileprivate var preference: MergePreference { MergePreference(self == .ours ? .ours : .theirs, text: rawValue) }
}

/// The result of a merge.
public struct MergedContainer: Sendable {
    /// A change that both sides made differently.
    public struct Conflict: Hashable, Sendable, CustomStringConvertible {
        /// The path of the entry.
        public let path: String
        /// The place and the reason.
        public let description: String
    }

    /// The conflicts that nothing resolves. If there are any, nothing was written.
    public let conflicts: [Conflict]
    /// Notes and warnings.
    public let notes: [String]
    /// True if the result was written.
    public var isWritten: Bool { conflicts.isEmpty }
}

extension Container {
    /// Merges the changes that two containers made to this one, and writes the result: a capsule if the path ends in `.capsule`, or else
    /// a directory. Different keys, rows and lines of the same file come together.
    ///
    /// - Parameters:
    ///   - ours: the container with our changes.
    ///   - theirs: the container with their changes.
    ///   - output: the path of the result.
    ///   - preferred: the side to take for conflicts; nil to leave them open.
    /// - Throws: ``CapsuleError`` if a container can't be read or merged. Nothing is written then.
    public func merge(
        _ ours: Container, _ theirs: Container, to output: String, preferring preferred: MergeSide? = nil
    ) throws(CapsuleError) -> MergedContainer {
        var options = MergeOptions(captured: HostProcess.now)
        if let preferred { options.preferences = [preferred.preference] }
        options.jobs = Work.jobs
        let inputs = [self, ours, theirs].map { $0.resolved() }
        let outcome = try MergeEngine(options).merge(
            base: inputs[0].container, ours: inputs[1].container, theirs: inputs[2].container, to: HostPath(output))
        let open = outcome.document.conflicts.filter { $0.resolution == nil }
        return MergedContainer(
            conflicts: open.map { MergedContainer.Conflict($0) },
            notes: (inputs.flatMap(\.warnings.all) + outcome.warnings).map(\.description) + outcome.notes)
    }
}

extension MergedContainer.Conflict {
    fileprivate init(_ conflict: CapsuleMerge.Conflict) {
        path = conflict.path.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        let place = [path, conflict.pointer?.description, conflict.table, conflict.column].compactMap { $0 }
        description = "\(place.joined(separator: " ")): \(conflict.reason)"
    }
}
