import CapsuleContainers
public import CapsuleCore
import CapsuleEngine

/// The options for changing a container on this machine.
public struct ApplyingOptions: Sendable {
    /// The path of an undo file to write before anything is changed. It must not exist.
    public var undo: String?
    /// True to report what would change, and to change nothing.
    public var isDryRun = false
    /// True to let the container of one app become that of another.
    public var allowsDifferentApp = false
    /// True to stop the app in its simulator first.
    public var stopsApp = false
    /// The patterns of paths that stay as they are when a container is restored.
    public var kept: [String] = []
    /// The values of the names in overlays, such as `$(BUNDLE_ID)`. Without any, nothing is expanded.
    public var values: [String: String] = [:]

    /// True to use and update the user's cache of digests.
    public var usesCache = true

    /// Creates options that change the container, and leave no undo file.
    public init() {}
}

/// The result of changing a container or a property list.
public struct AppliedChanges: Hashable, Sendable, CustomStringConvertible {
    /// True if anything changes.
    public let isChanged: Bool
    /// True if the changes were made, and not only reported.
    public let isWritten: Bool
    /// The number of files that are written.
    public let files: Int
    /// The number of directories and links that are made.
    public let made: Int
    /// The number of entries that are deleted.
    public let deleted: Int
    /// Notes, such as what an app that is running may overwrite.
    public let notes: [String]

    /// `changed: 15 files written, 1 made, 4 deleted`
    public var description: String {
        guard isChanged else { return "nothing to change" }
        return "\(isWritten ? "changed" : "would change"): \(files) written, \(made) made, \(deleted) deleted"
    }
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
        to target: Container, _ options: ApplyingOptions = ApplyingOptions()
    ) throws(CapsuleError) -> AppliedChanges {
        let directory = try target.liveDirectory()
        var own = Restorer.Options(moment: HostProcess.now)
        own.mode = options.isDryRun ? .check : .write
        own.undo = options.undo.map { OverlayOutput(HostPath($0), replaces: .nothing) }
        own.kept = try Work.patterns(options.kept)
        own.allowsOtherApp = options.allowsDifferentApp
        own.stopsApp = options.stopsApp
        own.usesCache = options.usesCache
        own.jobs = Work.jobs
        let (container, warnings) = resolved()
        return AppliedChanges(try Restorer(own).restore(container, to: directory), warnings)
    }

    /// Applies overlays to the container, in one transaction: partial property lists, JSON patches, documents, or what
    /// `capsule diff --overlay` wrote.
    ///
    /// - Parameters:
    ///   - overlays: the paths of the overlays. They are applied in this order.
    ///   - options: the options.
    /// - Throws: ``CapsuleError`` if an overlay does not fit. The container is then unchanged, or the error's code is `unfinished`.
    @discardableResult
    public func apply(
        _ overlays: String..., options: ApplyingOptions = ApplyingOptions()
    ) throws(CapsuleError) -> AppliedChanges {
        let directory = try liveDirectory()
        var own = ContainerApplier.Options(context: options.context, moment: HostProcess.now)
        own.mode = options.isDryRun ? .check : .write
        own.undo = options.undo.map { OverlayOutput(HostPath($0), replaces: .nothing) }
        own.allowsOtherApp = options.allowsDifferentApp
        own.usesCache = options.usesCache
        own.jobs = Work.jobs
        let warnings = WarningLog()
        let outcome = try ContainerApplier(own).apply(try sources(overlays, warnings), to: directory)
        return AppliedChanges(outcome, warnings)
    }
}

/// A property list in a file, such as an `Info.plist` or an app's defaults.
public struct PropertyListFile: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The path of the file.
    public let path: String

    /// Names a property list. It is not read until something is done with it.
    public init(_ path: String) {
        self.path = path
    }

    /// Names a property list.
    public init(stringLiteral path: String) {
        self.init(path)
    }

    /// Applies overlays to the property list. Only the bytes of what changes are written: comments, order and encoding stay.
    ///
    ///     try PropertyListFile("Info.plist").apply("Info-Debug.plist")
    ///
    /// - Parameters:
    ///   - overlays: the paths of the overlays. They are applied in this order.
    ///   - options: the options.
    /// - Throws: ``CapsuleError`` if an overlay does not fit. The file is then unchanged.
    @discardableResult
    public func apply(
        _ overlays: String..., options: ApplyingOptions = ApplyingOptions()
    ) throws(CapsuleError) -> AppliedChanges {
        let undo = options.undo.map { OverlayOutput(HostPath($0), replaces: .nothing) }
        let applier = PlistApplier(context: options.context, to: options.isDryRun ? .dryRun : .inPlace, undo: undo)
        let warnings = WarningLog()
        let outcome = try applier.apply(try sources(overlays, warnings), to: HostPath(path))
        return AppliedChanges(
            isChanged: outcome.isChanged, isWritten: outcome.isWritten, files: outcome.isChanged ? 1 : 0, made: 0, deleted: 0,
            notes: (warnings.all + outcome.warnings).map(\.description) + outcome.notes.map(\.note.text))
    }
}

private func sources(_ overlays: [String], _ warnings: WarningLog) throws(CapsuleError) -> [OverlaySource] {
    var sources: [OverlaySource] = []
    for overlay in overlays { sources.append(try OverlaySource(Array(overlay.utf8)) { warnings.add($0) }) }
    return sources
}

extension ApplyingOptions {
    fileprivate var context: OverlayContext { OverlayContext(values: values, expands: !values.isEmpty) }
}

extension AppliedChanges {
    fileprivate init(_ outcome: ApplyOutcome, _ warnings: WarningLog) {
        isChanged = outcome.isChanged
        isWritten = outcome.isWritten
        files = outcome.counts.written + outcome.counts.facts
        made = outcome.counts.made
        deleted = outcome.counts.deleted
        notes = warnings.all.map(\.description) + outcome.notes
    }
}
