import CapsuleContainers
public import CapsuleCore
import CapsuleEngine

/// The options for applying overlays to a container.
public struct ApplyingOptions: Sendable {
    /// The path of an undo file to write before anything is changed. It must not exist.
    public var undo: String?
    /// True to report what would change, and to change nothing.
    public var isDryRun = false
    /// True to apply an overlay that was made for another app.
    public var allowsDifferentApp = false
    /// The values of the names in overlays, such as `$(BUNDLE_ID)`. Without any, nothing is expanded.
    public var values: [String: String] = [:]
    /// True to use and update the user's cache of digests.
    public var usesCache = true

    /// Creates options that change the container, and leave no undo file.
    public init() {}
}

extension Container {
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
        var own = LiveChange.Options(moment: HostProcess.now)
        own.mode = options.isDryRun ? .check : .write
        own.undo = options.undo.map { OutputFile(HostPath($0), replaces: false) }
        own.allowsOtherApp = options.allowsDifferentApp
        own.usesCache = options.usesCache
        own.jobs = Work.jobs
        let application = OverlayApplication(context: Work.context(values: options.values), moment: own.moment)
        let warnings = WarningLog()
        let outcome = try LiveChange(own).apply(try Work.overlays(overlays, warnings), to: directory, application)
        return AppliedChanges(outcome, warnings)
    }
}
