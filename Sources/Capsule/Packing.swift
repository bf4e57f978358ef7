import CapsuleContainers
public import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// The options for packing a container.
public struct PackingOptions: Sendable {
    /// The compression of a capsule.
    public enum Compression: Sendable {
        /// Any system's `tar` reads the capsule.
        case gzip
        /// Smaller and faster.
        case zstd
    }

    /// The compression of a new capsule.
    public var compression = Compression.gzip
    /// The label of the version: letters, digits, `.`, `_` and `-`.
    public var label: String?
    /// True if the label may be taken from the version that has it. Otherwise, such a label is an error.
    public var movesLabel = false
    /// A note on the version.
    public var note: String?
    /// The patterns of paths to leave out, with everything below them, such as `Library/Caches`.
    public var excluded: [String] = []
    /// True to leave out what the user may not read. Otherwise, it is an error.
    public var skipsUnreadable = false
    /// True if an existing capsule with a single version may be replaced.
    public var replaces = false
    /// True if a version may be added to a capsule of another app.
    public var allowsDifferentApp = false

    /// Creates options that leave nothing out and replace nothing.
    public init() {}
}

/// A version of a capsule that was written.
public struct PackedVersion: Hashable, Sendable, CustomStringConvertible {
    /// The path of the capsule.
    public let path: String
    /// The number of the version, from 1.
    public let version: Int
    /// The number of files, directories and links.
    public let entries: Int
    /// The sum of the sizes of the files, in bytes.
    public let bytes: UInt64
    /// The length of the capsule in bytes.
    public let length: UInt64
    /// Warnings, such as patterns that match nothing.
    public let warnings: [String]

    /// The path and version: `Gifs.capsule: version 1 of 68 entries`.
    public var description: String { "\(path): version \(version) of \(entries) \(entries == 1 ? "entry" : "entries")" }
}

extension Container {
    /// Packs the container into a new capsule, which appears complete or not at all.
    ///
    /// - Parameters:
    ///   - file: the path of the capsule.
    ///   - options: the options.
    /// - Throws: ``CapsuleError``, with the code `exists` if the file exists and must not be replaced.
    @discardableResult
    public func pack(to file: String, _ options: PackingOptions = PackingOptions()) throws(CapsuleError) -> PackedVersion {
        let (container, warnings) = resolved()
        let outcome = try Packer(options: options.engineOptions()).pack(container, to: HostPath(file))
        return PackedVersion(outcome, warnings)
    }

    /// Packs the container as the next version of a capsule, or as the first one of a new capsule. Only contents that the capsule does
    /// not have yet are stored.
    ///
    /// - Parameters:
    ///   - file: the path of the capsule.
    ///   - options: the options.
    /// - Throws: ``CapsuleError``. The capsule is then unchanged.
    @discardableResult
    public func append(to file: String, _ options: PackingOptions = PackingOptions()) throws(CapsuleError) -> PackedVersion {
        let (container, warnings) = resolved()
        var append = Packer.AppendOptions()
        append.allowsDifferentApp = options.allowsDifferentApp
        append.movesLabel = options.movesLabel
        let outcome = try Packer(options: options.engineOptions()).append(container, to: HostPath(file), append)
        return PackedVersion(outcome, warnings)
    }

    /// Unpacks the container.
    ///
    /// - Parameters:
    ///   - path: the path of the result, which must not exist.
    ///   - form: the form of the result; nil for a bundle if the container is one, and otherwise a directory.
    ///   - paths: the paths or patterns to unpack; empty for everything.
    /// - Returns: notes, such as what the file system can't hold.
    /// - Throws: ``CapsuleError``. Nothing is left behind then.
    @discardableResult
    public func unpack(
        to path: String, as form: UnpackedForm? = nil, only paths: [String] = []
    ) throws(CapsuleError) -> [String] {
        var options = UnpackOptions()
        options.form = form?.engineForm
        options.paths = paths.map { Array($0.utf8) }
        options.jobs = Work.jobs
        let (container, warnings) = resolved()
        let outcome = try Unpacker(options: options).unpack(container, to: .named(HostPath(path)))
        return warnings.all.map(\.description) + outcome.notes
    }
}

/// The form of an unpacked container.
public enum UnpackedForm: Sendable {
    /// A bundle like those that Xcode downloads, an `.xcappdata`.
    case bundle
    /// The content of `AppData`, as a simulator keeps it.
    case container
    /// The files alone, with app groups as `AppGroups/ID`.
    case directory

    fileprivate var engineForm: UnpackOptions.Form {
        switch self {
        case .bundle: .bundle
        case .container: .container
        case .directory: .directory
        }
    }
}

extension PackingOptions {
    fileprivate func engineOptions() throws(CapsuleError) -> PackOptions {
        var options = PackOptions(captured: HostProcess.now)
        options.codec = compression == .zstd ? .zstd : nil
        if let label {
            guard let valid = VersionLabel(label) else {
                throw CapsuleError(.usage, "'\(label)' is not a label: it has letters, digits, '.', '_' and '-'")
            }
            options.label = valid
        }
        options.note = note.map { PlistString($0) }
        options.container.excluded = try Work.patterns(excluded)
        options.container.skipsUnreadable = skipsUnreadable
        options.container.jobs = Work.jobs
        options.replaces = replaces
        options.jobs = Work.jobs
        return options
    }
}

extension PackedVersion {
    fileprivate init(_ outcome: Packer.Outcome, _ warnings: WarningLog) {
        path = outcome.path.description
        version = Int(outcome.manifest.version)
        entries = Int(clamping: outcome.manifest.entries)
        bytes = outcome.manifest.bytes
        length = outcome.length
        self.warnings = warnings.all.map(\.description) + outcome.warnings.map(\.text)
    }
}
