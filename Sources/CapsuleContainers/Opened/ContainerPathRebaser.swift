package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// Finds paths of another installation's container in a container's property lists, and rewrites them to lead into this one. Only
/// files that may be property lists by their names are opened: those with one of ``suffixes``, and those without any suffix
/// outside of caches and temporary files. Of these, only files that begin like a property list are read completely.
package struct ContainerPathRebaser: Sendable {
    /// A file in which something was found.
    package struct File: Sendable {
        let number: Int
        package let path: RelativePath
        package let findings: PathRebase.Findings
        let bytes: [UInt8]?
    }

    package struct Report: Sendable {
        package var files: [File] = []
        /// A sentence for each file that could not be searched completely.
        package var notes: [String] = []

        /// The number of strings that lead into the container of another installation.
        package var paths: Int { files.reduce(0) { $0 + $1.findings.paths } }
    }

    static let longest: UInt64 = 64 << 20
    /// The size in bytes of the shortest file that is searched. No path into a container is shorter.
    private static let shortest: UInt64 = 64
    private static let headLength: UInt64 = 512
    static let suffixes = [
        ".plist", ".archive", ".archived", ".keyedarchive", ".data", ".dat", ".bin", ".state", ".strings", ".cache",
    ].map { Array($0.utf8) }
    /// The directories in which files without a suffix are skipped, because they are caches or temporary files.
    private static let skippedDirectories = ["Library/Caches/", "tmp/"].map { Array($0.utf8) }

    private let rebase: PathRebase

    package init(target: HostPath) throws(CapsuleError) {
        guard let rebase = PathRebase(target: target) else {
            throw CapsuleError(.usage, "a property list can't hold this path", path: target)
        }
        self.rebase = rebase
    }

    /// - Parameter numbers: the positions of the entries to search; nil for all.
    package func report(on container: OpenedContainer, numbers: [Int]? = nil, jobs: Int = 1) throws(CapsuleError) -> Report {
        let candidates = (numbers ?? Array(container.entries.indices))
            .filter { Self.isCandidate(container.entries[$0]) }
            .map { (number: $0, locality: container.contents.locality(of: $0)) }
            .sorted { ($0.locality, $0.number) < ($1.locality, $1.number) }
            .map(\.number)
        let batches = (candidates.count + Self.batch - 1) / Self.batch
        let found = try ParallelMap.run(batches, threads: jobs, itemsPerThread: 1) {
            (batch) throws(CapsuleError) -> Report in
            try CapsuleError.checkInterruption()
            let reader = container.makeReader()
            var report = Report()
            for number in candidates[batch * Self.batch..<min(candidates.count, (batch + 1) * Self.batch)] {
                try look(at: number, of: container, reader, &report)
            }
            return report
        }
        var report = Report()
        report.files = found.flatMap(\.files).sorted { $0.number < $1.number }
        report.notes = found.flatMap(\.notes).sorted()
        return report
    }

    /// Returns the container with paths that lead into the target. The files that change get new bytes and keep their times.
    package func rebase(
        _ container: OpenedContainer, numbers: [Int]? = nil, jobs: Int = 1
    ) throws(CapsuleError) -> (container: OpenedContainer, report: Report) {
        let report = try self.report(on: container, numbers: numbers, jobs: jobs)
        var container = container
        // Files keep their attributes, which are unknown until the files are read.
        try EntryDigester(jobs: jobs).completeAll(&container, at: report.files.filter { $0.bytes != nil }.map(\.number))
        return (Self.applying(report, to: container), report)
    }

    static func applying(_ report: Report, to container: OpenedContainer) -> OpenedContainer {
        var edits = ContainerEdits(container)
        for file in report.files {
            guard let bytes = file.bytes else { continue }
            var entry = container.entries[file.number]
            entry.size = UInt64(bytes.count)
            entry.digest = SHA256Hasher.digest(of: bytes)
            edits[entry.place] = ContainerEdits.Item(
                entry: entry, origin: .bytes(bytes))
        }
        return edits.finished()
    }

    private static let batch = 64

    static func isCandidate(_ entry: TreeEntry) -> Bool {
        guard entry.kind == .file, entry.size >= shortest, entry.root == .tree || entry.root.groupNumber != nil else {
            return false
        }
        let name = entry.path.name
        if suffixes.contains(where: { name.count > $0.count && name.suffix($0.count).elementsEqual($0) }) { return true }
        return !name.dropFirst().contains(UInt8(ascii: "."))
            && !skippedDirectories.contains { entry.path.bytes.starts(with: $0) }
    }

    private func look(
        at number: Int, of container: OpenedContainer, _ reader: ContentReader, _ report: inout Report
    ) throws(CapsuleError) {
        let entry = container.entries[number]
        let head = try reader.bytes(of: entry, number: number, in: 0..<min(entry.size, Self.headLength))
        guard PathRebase.mayBePropertyList(head: head) else { return }
        guard entry.size <= Self.longest else {
            report.notes.append("\(entry.path): too large to search for paths of another installation")
            return
        }
        let bytes = entry.size == UInt64(head.count) ? head : try reader.bytes(of: entry, number: number, in: 0..<entry.size)
        if container.isDigested, SHA256Hasher.digest(of: bytes) != entry.digest { throw .wrongDigest(of: entry) }
        do throws(PlistError) {
            let (rebased, findings) = try rebase.rebased(bytes)
            if findings.isCut { report.notes.append("\(entry.path): too large to search completely") }
            guard !findings.isEmpty else { return }
            report.files.append(File(number: number, path: entry.path, findings: findings, bytes: rebased))
        } catch {
            // Whatever the file is, no reader of property lists finds a path in it.
            if error.code == .limitExceeded { report.notes.append("\(entry.path): \(error.message)") }
        }
    }
}
