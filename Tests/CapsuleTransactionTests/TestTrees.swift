import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import Foundation
import TestSupport

@testable import CapsuleTransaction

/// Directories that a test changes, in their own temporary directory, and their wanted state.
struct LiveTarget {
    let scratch: TemporaryDirectory
    let before: [TreeLiteral]
    let after: [TreeLiteral]
    /// True if directories are renamed; nil to find out from the file system.
    private var movesDirectories: Bool?

    /// Makes `live0`, `live1`, ….
    init(_ before: [TreeLiteral], _ after: [TreeLiteral]) throws {
        scratch = try TemporaryDirectory()
        self.before = before.map(Self.topped)
        self.after = after.map(Self.topped)
        for (number, tree) in self.before.enumerated() { try tree.make(at: live(number)) }
    }

    init(_ before: TreeLiteral, _ after: TreeLiteral) throws {
        try self.init([before], [after])
    }

    /// Returns the same target for a file system that renames directories, or for one that does not.
    func moving(directories: Bool) -> LiveTarget {
        var target = self
        target.movesDirectories = directories
        return target
    }

    /// Adds the tree's own directory, so that its time is known.
    private static func topped(_ tree: TreeLiteral) -> TreeLiteral {
        var tree = tree
        if tree[""] == nil { tree[""] = .directory() }
        return tree
    }

    func live(_ number: Int = 0) -> String { scratch["live\(number)"] }

    /// Deletes the trees and makes them again.
    func reset() throws {
        for (number, tree) in before.enumerated() {
            try TestTrees.remove(live(number))
            try tree.make(at: live(number))
        }
    }

    /// Returns the current content of the directories, without the transaction's own files.
    func found() throws -> [TreeLiteral] { try before.indices.map { try TreeLiteral(reading: live($0)) } }

    func roots() throws -> [RootDirectory] { try before.indices.map { try RootDirectory(HostPath(live($0))) } }

    func lock() throws -> LockedTarget { try LockedTarget(try roots(), timeout: 0) }

    // MARK: The plan

    /// - Parameter knowsDigests: true if the digests of present files are known, so that these files can be used for others.
    func plan(knowsDigests: Bool = true) throws -> ApplyPlan {
        var plan = ApplyPlan(roots: try roots(), changes: [])
        var contents: [[UInt8]] = []
        for number in before.indices {
            let (old, new) = (before[number].withoutHardLinks, after[number])
            for path in Set(old.nodes.keys).union(new.nodes.keys).sorted() where old[path] != new[path] {
                plan.changes.append(
                    try change(path, root: number, old[path], new[path], &contents, knowsDigests: knowsDigests))
            }
        }
        plan.source = WantedContents(contents)
        plan.changes.sort { $0.place < $1.place }
        return plan
    }

    private func change(
        _ path: TreeLiteral.RawPath, root: Int, _ old: TreeNode?, _ new: TreeNode?, _ contents: inout [[UInt8]],
        knowsDigests: Bool
    ) throws -> ApplyPlan.Change {
        let relative = path.bytes.isEmpty ? RelativePath.root : try RelativePath(validating: path.bytes)
        var present: ApplyPlan.Present?
        if let old {
            let status = try Syscall.status(HostPath(path.bytes.isEmpty ? live(root) : "\(live(root))/\(path)"))
            present = ApplyPlan.Present(status: status, entry: Self.entry(relative, old, hasDigest: knowsDigests))
        }
        var wanted: ApplyPlan.Wanted?
        if let new {
            let content: ApplyPlan.Wanted.Content
            switch (old?.kind, new.kind) {
            case (.directory?, .directory): content = .kept
            case (let kind?, let other) where kind == other: content = .kept
            case (_, .file(let bytes)):
                content = .file(contents.count)
                contents.append(bytes)
            default: content = .none
            }
            wanted = ApplyPlan.Wanted(entry: Self.entry(relative, new, hasDigest: true), content: content)
        }
        return ApplyPlan.Change(place: TargetPath(root: root, path: relative), present: present, wanted: wanted)
    }

    private static func entry(_ path: RelativePath, _ node: TreeNode, hasDigest: Bool) -> TreeEntry {
        var entry = TreeEntry(path: path, kind: .directory, mode: FileMode(node.mode), modified: node.modified)
        switch node.kind {
        case .file(let bytes):
            entry.kind = .file
            entry.size = UInt64(bytes.count)
            if hasDigest { entry.digest = SHA256Hasher.digest(of: bytes) }
        case .link(let target):
            entry.kind = .link
            entry.mode = .link
            entry.target = target
        default: break
        }
        entry.attributes = node.attributes.sorted { $0.key < $1.key }.map {
            ExtendedAttribute(name: ExtendedAttribute.portableName(fromLinux: Array($0.key.utf8)), value: $0.value)
        }
        return entry
    }

    /// Runs a transaction in the same way as a command.
    @discardableResult
    func run(_ plan: ApplyPlan? = nil, jobs: Int = 2) throws -> ApplyTransaction.Outcome {
        try ApplyTransaction(try plan ?? self.plan(), in: try lock(), jobs: jobs, movesDirectories: movesDirectories).run()
    }
}

/// Contents in memory.
struct WantedContents: PlannedContents {
    private let contents: [[UInt8]]

    init(_ contents: [[UInt8]]) {
        self.contents = contents
    }

    func write(
        _ files: [PlannedFile], in directory: RootDirectory, jobs: Int, progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> [(number: Int, name: [UInt8])] {
        let writer = TreeWriter(directory)
        var refused: [(number: Int, name: [UInt8])] = []
        for planned in files {
            guard contents.indices.contains(planned.content) else { throw CapsuleError("the content does not exist") }
            let bytes = contents[planned.content]
            guard SHA256Hasher.digest(of: bytes) == planned.entry.digest else { throw CapsuleError("is other content") }
            let file = try writer.makeFile(planned.name, mode: FileMode(0o600))
            let written: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(CapsuleError) in try file.write(bytes, at: 0) }
            }
            try written.get()
            let lost = try file.finish(
                mode: planned.entry.mode, modified: planned.entry.modified, attributes: planned.entry.attributes)
            refused += lost.map { (planned.number, $0.name) }
        }
        return refused
    }
}

/// Functions for whole trees in tests.
enum TestTrees {
    static func remove(_ path: String) throws {
        let run = try Program.run("rm", ["-rf", path])
        guard run.status == 0 else { throw SupportError("cannot remove \(path): \(run.errors)") }
    }

    /// Returns a line for each difference of the trees, for all roots together.
    static func differences(_ wanted: [TreeLiteral], from found: [TreeLiteral]) -> [String] {
        zip(wanted, found).enumerated().flatMap { number, pair in
            pair.0.differences(from: pair.1).map { "\(number): \($0)" }
        }
    }
}
