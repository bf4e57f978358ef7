import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsuleSystem
import CapsuleTransaction

/// What the last change of a project's app replaced, for `capsule undo`: a document that says what was where, and a directory beside it
/// with the files, which are moved out of the container instead of copied.
package struct KeptUndo: Sendable {
    /// The document. The files are in the directory of its name and `.files`, each under the digest of its content.
    package let document: HostPath

    package init(document: HostPath) { self.document = document }

    /// The most bytes that are kept of one change.
    private static let limit: UInt64 = 1 << 30

    /// Deletes all of it.
    package func discard() {
        OutputFile.remove(document)
        let files = KeptContents.directory(beside: document)
        guard let directory = try? RootDirectory(files), let entries = try? directory.entries() else { return }
        for entry in entries { try? directory.remove(entry.name, isDirectory: false) }
        try? RootDirectory(files.directory).remove(files.name, isDirectory: true)
    }

    /// Begins to keep what a change replaces, in place of what was kept before.
    /// - Parameters:
    ///   - plan: the change.
    ///   - sides: the containers before and after it.
    /// - Returns: nil if it would be too much.
    func begin(_ plan: ApplyPlan, _ sides: TargetPlanner.Sides, jobs: Int) throws(CapsuleError) -> Begun? {
        discard()
        let bytes = plan.changes.reduce(UInt64(0)) { $0 &+ ($1.present?.status.size ?? 0) }
        guard bytes <= Self.limit else { return nil }
        var changed = sides.new
        changed.origin = sides.old.origin
        var options = OverlayBuilder.Options(isOneWay: true, carriesWhole: true, isByBytes: true)
        options.jobs = jobs
        let package = try OverlayBuilder(turning: changed, into: sides.old, options: options).package()
        let files = KeptContents.directory(beside: document)
        let parent = try RootDirectory(files.directory)
        try parent.makePrivateDirectory(files.name)
        let begun = Begun(overlay: package.overlay, directory: try parent.subdirectoryOnDevice(named: files.name))
        do throws(CapsuleError) {
            return try begun.naming(plan, sides, package.contents)
        } catch {
            discard()
            throw error
        }
    }

    /// Files that are to be kept when a change is made.
    struct Begun {
        let overlay: Overlay
        let directory: RootDirectory
        /// The names of the files that the transaction moves here, by the numbers of their changes.
        private(set) var names: [Int: [UInt8]] = [:]

        /// Names the files that the transaction moves, and copies the others: those on another device, and those whose content is needed
        /// after the change, too, since the transaction may use them again.
        fileprivate func naming(
            _ plan: ApplyPlan, _ sides: TargetPlanner.Sides, _ contents: (any OverlayPayload)?
        ) throws(CapsuleError) -> Begun {
            var begun = self
            let device = try directory.status().device
            let used = Set(sides.new.tree.entries.lazy.filter { $0.kind == .file }.map(\.digest))
            var moved: Set<ContentDigest> = []
            for (number, change) in plan.changes.enumerated() {
                guard let present = change.present, present.status.kind == .file, present.status.device == device,
                    let entry = sides.old.file(at: present.entry.path.bytes, in: present.entry.root)
                else { continue }
                let digest = sides.old.tree.entries[entry].digest
                guard !used.contains(digest), moved.insert(digest).inserted else { continue }
                begun.names[number] = Array(digest.hex.utf8)
            }
            for content in overlay.files.compactMap({ $0.new?.content }) where content.size > 0 {
                guard moved.insert(content.digest).inserted else { continue }
                guard let source = try contents?.open(content.digest, size: content.size) else { continue }
                try Self.copy(source, size: content.size, to: directory, as: Array(content.digest.hex.utf8))
            }
            return begun
        }

        private static func copy(
            _ content: any OpenContent, size: UInt64, to directory: RootDirectory, as name: [UInt8]
        ) throws(CapsuleError) {
            let file = try directory.createFile(name)
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
            defer { room.deallocate() }
            var offset: UInt64 = 0
            while offset < size {
                try CapsuleError.checkInterruption()
                let count = try content.read(at: offset, into: room)
                guard count > 0 else { throw .changed(directory.path.appending(name)) }
                try Syscall.write(
                    file.raw, UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset, path: directory.path.appending(name))
                offset += UInt64(count)
            }
        }
    }

    /// Makes the change undoable, now that it is made.
    func finish(_ overlay: Overlay) throws(CapsuleError) {
        try OutputFile(document, replaces: true).forOwner.write(overlay)
    }
}
