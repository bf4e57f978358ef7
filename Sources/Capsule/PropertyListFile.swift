import CapsuleContainers
public import CapsuleCore
import CapsuleEngine

/// The options for applying overlays to a property list.
public struct EditingOptions: Sendable {
    /// The path of an undo file to write before anything is changed. It must not exist.
    public var undo: String?
    /// True to report what would change, and to change nothing.
    public var isDryRun = false
    /// The values of the names in overlays, such as `$(BUNDLE_ID)`. Without any, nothing is expanded.
    public var values: [String: String] = [:]

    /// Creates options that change the property list, and leave no undo file.
    public init() {}
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
        _ overlays: String..., options: EditingOptions = EditingOptions()
    ) throws(CapsuleError) -> AppliedChanges {
        let undo = options.undo.map { OutputFile(HostPath($0), replaces: false) }
        let context = Work.context(values: options.values)
        let applier = PlistApplier(context: context, to: options.isDryRun ? .dryRun : .inPlace, undo: undo)
        let warnings = WarningLog()
        let outcome = try applier.apply(try Work.overlays(overlays, warnings), to: HostPath(path))
        return AppliedChanges(outcome, warnings)
    }
}
