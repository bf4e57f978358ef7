import CapsuleContainers
import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList

extension LiveChange {
    /// Writes the undo file, which also undoes the changes to the app bundle.
    /// - Parameter sides: the sides of the container, and those of the app bundle if there is one.
    func writeUndo(_ sides: [TargetPlanner.Sides], to undo: OutputFile) throws(CapsuleError) {
        var changed = sides[0].new
        // The undo file is for the target, wherever its new state came from.
        changed.origin = sides[0].old.origin
        var wanted = OverlayBuilder.Options()
        wanted.jobs = options.jobs
        var package = try OverlayBuilder(turning: changed, into: sides[0].old, options: wanted).package()
        for more in sides.dropFirst() { package.overlay.targets += try Self.targets(turning: more.new, into: more.old) }
        do throws(CapsuleError) {
            try undo.forOwner.write(package, captured: options.moment, jobs: options.jobs, progress: nil)
        } catch {
            guard error.code == .unsynced else { throw error }
            undo.withdraw()
            throw CapsuleError(error.message, path: error.path)
        }
    }

    /// Deletes the undo file, unless a recovery may still complete the change. Then the undo file is the only way to undo it.
    func withdraw(_ undo: OutputFile, after error: CapsuleError) -> CapsuleError {
        guard error.code == .unfinished else {
            undo.withdraw()
            return error
        }
        var error = error
        error.details.append("\(undo.path) undoes the change if it gets completed")
        return error
    }

    static func targets(turning old: ComparedSide, into new: ComparedSide) throws(CapsuleError) -> [Overlay.Target] {
        var targets: [Overlay.Target] = []
        for place in new.tree.entries.indices {
            let path = new.tree.entries[place].path
            guard new.tree.entries[place].kind == .file, let other = old.file(at: path.bytes, in: .tree) else { continue }
            let (before, after) = (old.sideEntry(other), new.sideEntry(place))
            guard before.isOtherContent(than: after) else { continue }
            var target = Overlay.Target(path: "\(path)", root: .appBundle)
            if case .operations(let made, _) = try PlistTarget(
                before, after, at: path, isInGroups: false, identities: ArrayIdentities([]))
            {
                target.operations = made.operations
            }
            let formats = (Self.isBinary(try before.open()), Self.isBinary(try after.open()))
            if formats.0 != formats.1 { target.encode = formats.1 ? .binary : .xml }
            guard !target.operations.isEmpty || target.encode != nil else {
                throw CapsuleError("can't be undone by an overlay", path: HostPath(path.bytes), hint: "omit '--undo' or '--app'")
            }
            targets.append(target)
        }
        if old.tree.entries.count > new.tree.entries.count {
            throw CapsuleError(
                "creating a property list in the app can't be undone by an overlay",
                hint: "omit '--undo' or '--app'")
        }
        return targets
    }

    private static func isBinary(_ content: any OpenContent) -> Bool {
        PlistFormat.sniff((try? content.start(8)) ?? []) == .binary
    }
}
