import CapsuleContainers
public import CapsuleCore
import CapsuleEngine

/// The options for restoring a container on this machine.
public struct RestoringOptions: Sendable {
    /// The path of an undo file to write before anything is changed. It must not exist.
    public var undo: String?
    /// True to report what would change, and to change nothing.
    public var isDryRun = false
    /// True to let the container of one app become that of another.
    public var allowsDifferentApp = false
    /// True to delete and replace files in a directory that is not known to be the app's.
    public var allowsAnyDirectory = false
    /// True to stop the app in its simulator first.
    public var stopsApp = false
    /// The patterns of paths that stay as they are.
    public var kept: [String] = []
    /// The patterns of the paths to restore. Everything else stays as it is. Empty to restore everything.
    public var only: [String] = []
    /// True to use and update the user's cache of digests.
    public var usesCache = true

    /// Creates options that change the container, and leave no undo file.
    public init() {}
}

extension Container {
    /// Makes a container on this machine equal to this one, in one transaction. What is equal already is not touched.
    ///
    /// - Parameters:
    ///   - target: a directory, a bundle, or an app in a simulator.
    ///   - options: the options.
    /// - Throws: ``CapsuleError``. The target is then unchanged, or the error's code is `unfinished`.
    @discardableResult
    public func restore(
        to target: Container, _ options: RestoringOptions = RestoringOptions()
    ) throws(CapsuleError) -> AppliedChanges {
        let directory = try target.liveDirectory()
        var own = LiveChange.Options(moment: HostProcess.now)
        own.mode = options.isDryRun ? .check : .write
        own.undo = options.undo.map { OutputFile(HostPath($0), replaces: false) }
        own.allowsOtherApp = options.allowsDifferentApp
        own.allowsAnyDirectory = options.allowsAnyDirectory
        own.stopsApp = options.stopsApp
        own.usesCache = options.usesCache
        own.jobs = Work.jobs
        var restoring = RestoreOptions()
        restoring.kept = try Work.patterns(options.kept)
        restoring.selected = try Work.patterns(options.only)
        let (container, warnings) = resolved()
        return AppliedChanges(try LiveChange(own).restore(container, to: directory, restoring), warnings)
    }
}
