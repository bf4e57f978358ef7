import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Gives labels to versions of a capsule and takes them away, by appending label records. Versions are not changed.
package struct Labeler: Sendable {
    package struct Outcome: Sendable {
        package let path: HostPath
        package let label: VersionLabel
        /// The version that the label names now; nil if it was deleted.
        package let version: UInt32?
        /// The version that the label named before, if there was one.
        package let previous: UInt32?

        package var isChanged: Bool { version != previous }
    }

    /// The number of seconds to wait for another process that writes to the capsule.
    private let lockTimeout: Double

    package init(lockTimeout: Double) {
        self.lockTimeout = lockTimeout
    }

    /// - Parameter moves: true if the label may be taken from another version.
    package func give(
        _ label: VersionLabel, to selector: VersionSelector, of path: HostPath, moves: Bool
    ) throws(CapsuleError) -> Outcome {
        let (locked, capsule) = try open(path)
        let version: UInt32
        do throws(CapsuleError) {
            version = try capsule.footer(of: selector).version
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
        let previous = try capsule.version(labelled: label)
        if previous != version {
            if !moves { try capsule.refuseMoving(label, from: previous) }
            try append(LabelRecord(label, version: version), to: capsule, locked)
        }
        return Outcome(path: path, label: label, version: version, previous: previous)
    }

    package func delete(_ label: VersionLabel, of path: HostPath) throws(CapsuleError) -> Outcome {
        let (locked, capsule) = try open(path)
        guard let previous = try capsule.version(labelled: label) else {
            let names = try capsule.labels().map(\.label.text)
            throw CapsuleError(
                .notFound, "no version has the label '\(label.text)'", path: path,
                hint: "'capsule log \(path.shellWord)' lists the labels",
                misspelt: (label.text, names))
        }
        try append(LabelRecord(label, version: nil), to: capsule, locked)
        return Outcome(path: path, label: label, version: nil, previous: previous)
    }

    private func open(_ path: HostPath) throws(CapsuleError) -> (LockedFile, CapsuleReader) {
        let locked: LockedFile
        do throws(CapsuleError) {
            locked = try LockedFile(path, timeout: lockTimeout)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule label \($0.shellWord) LABEL' labels a version of the file" }
        }
        return (locked, try CapsuleReader(appendingTo: locked, hint: "only a version of a capsule can have a label"))
    }

    private func append(
        _ record: LabelRecord, to capsule: CapsuleReader, _ locked: LockedFile
    ) throws(CapsuleError) {
        let output = AppendedMembers(locked, behind: capsule.last)
        do throws(CapsuleError) {
            let writer = CapsuleWriter(
                output: output, codec: capsule.codec, following: capsule.last, version: capsule.newest.version)
            _ = try writer.finish(record)
            try locked.checkName()
        } catch {
            output.rollBack()
            throw error
        }
    }
}

extension CapsuleReader {
    /// Refuses a label that a version has.
    /// - Parameter version: the number of that version; nil if no version has the label.
    func refuseMoving(_ label: VersionLabel, from version: UInt32?) throws(CapsuleError) {
        guard let version else { return }
        throw CapsuleError(
            "version \(version) already has the label '\(label.text)'", path: file.path,
            hint: "choose a different label, or move it with '--move-label'")
    }
}
