import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// An overlay that was given by name. Its form is detected once, because standard input can't be read twice.
package struct OverlaySource: Sendable {
    enum Form: Sendable {
        /// A file with a document, a plain overlay or a patch, as a property list or JSON.
        case file(OverlayFile)
        case package(OverlayPackage)
        /// A version of a capsule that is a container. The overlays are those in its manifest.
        case container(Container)
    }

    package let argument: [UInt8]
    let form: Form
    package var isContainer: Bool { if case .container = form { true } else { false } }
    package var overlayForm: Overlay.Form? { if case .file(let file) = form { file.overlay.form } else { nil } }

    /// The mode of the file; nil if it is not known. A pipe has the mode of a private file.
    private(set) var fileMode: FileMode?

    /// Reads an overlay of any form: `FILE`, `FILE@VERSION` of a capsule, or `-` for standard input.
    /// - Parameters:
    ///   - isDeep: true if a JSON object is a plain overlay, in which null removes a key.
    /// - Throws: `CapsuleError` if the input has none of the forms.
    package init(
        _ argument: [UInt8], isDeep: Bool = false, warn: @escaping @Sendable (CapsuleError) -> Void = { _ in }
    ) throws(CapsuleError) {
        self.argument = argument
        let path = HostPath(argument)
        fileMode = Self.mode(of: argument)
        let isStream = path == .standardStream
        if isStream || FileProbe.isPipe(path) {
            let file = isStream ? try StandardInput.spool(for: .overlay) : try StandardInput.spool(pipe: path, for: .overlay)
            let container = try Self.isArchive(file) ? Container(argument, holding: file, warn: warn) : nil
            form =
                if let container { try Self.form(of: container) } else {
                    .file(try Self.overlay(try PlistFile(spooled: file), isDeep: isDeep, warn))
                }
            return
        }
        if InputKind.isContainer(argument) {
            if FileProbe.isDirectory(path) { throw CapsuleError("is a directory, not an overlay", path: path) }
            form = try Self.form(of: Container(argument, warn: warn))
        } else {
            let file = try PlistFile(path)
            form = .file(try Self.overlay(file, isDeep: isDeep, warn))
            if ContainedName(argument) != nil { fileMode = file.mode }
        }
    }

    /// Returns the mode of a file, whose name may have a version at its end. It is not known who may read the source of a pipe,
    /// so its mode is that of a private file.
    private static func mode(of argument: [UInt8]) -> FileMode? {
        let path = HostPath(argument)
        if let mode = path.inputMode { return mode }
        if path == .standardStream || FileProbe.isPipe(path) { return OutputFile.privateMode }
        return VersionedName(argument)?.file.inputMode
    }

    /// Returns the overlay with the bytes that it carries.
    /// - Throws: ``CapsuleError`` for a container, which can have several overlays with places of their own.
    func package() throws(CapsuleError) -> OverlayPackage {
        switch form {
        case .file(let file): OverlayPackage(overlay: file.overlay, contents: KeptContents(beside: file.path))
        case .package(let package): package
        case .container:
            throw CapsuleError("is a container, not an overlay", path: HostPath(argument))
        }
    }

    private static func overlay(
        _ file: PlistFile, isDeep: Bool, _ warn: (CapsuleError) -> Void
    ) throws(CapsuleError) -> OverlayFile {
        let overlay = try OverlayFile(file, isDeep: isDeep)
        for warning in file.warnings { warn(warning) }
        return overlay
    }

    private static func isArchive(_ file: CapsuleFile) throws(CapsuleError) -> Bool {
        let start = try file.read(at: 0, count: Int(min(file.length, UInt64(InputKind.headLength))))
        return InputKind.isArchive(start)
    }

    private static func form(of container: Container) throws(CapsuleError) -> Form {
        guard case .capsule(let capsule, let selector) = try container.resolve() else {
            throw CapsuleError(
                "is an archive, not an overlay", path: HostPath(container.argument),
                hint: "'capsule diff A B --overlay FILE' writes one")
        }
        if capsule.newest.isOverlay { return .package(try OverlayPackage(capsule, selector)) }
        return .container(container)
    }
}

/// An overlay in a file.
package struct OverlayFile: Sendable {
    package let file: PlistFile
    package let overlay: Overlay

    package var path: HostPath { file.path }

    /// Reads a file; `-` is standard input.
    package init(_ path: HostPath, isDeep: Bool = false) throws(CapsuleError) {
        try self.init(try PlistFile(path), isDeep: isDeep)
    }

    /// - Throws: ``CapsuleError`` if the file is not an overlay, or is a document with a duplicate key.
    init(_ file: PlistFile, isDeep: Bool = false) throws(CapsuleError) {
        self.file = file
        do throws(OverlayError) {
            overlay = try Overlay(file.document.value, format: file.document.format, isDeep: isDeep)
        } catch {
            throw CapsuleError(error, in: file)
        }
        // A document is in a format of Capsule's own, and no part of it may be dropped silently.
        if overlay.form == .document { try file.refuseDuplicateKeys() }
    }

    package func error(_ error: OverlayError) -> CapsuleError { CapsuleError(error, in: file) }
}

/// An overlay to pack with a container, and the property list that it is for.
package struct OverlayEntry: Sendable {
    package let file: OverlayFile
    package let overlay: Overlay

    /// Reads `[ROOT:]PATH=FILE`, split at the first `=`. ROOT is `AppData`, `AppBundle` or `AppGroup:ID`.
    /// - Throws: `CapsuleError` for an overlay that is not valid, or that a manifest can't store.
    package init(place: [UInt8], file path: HostPath) throws(CapsuleError) {
        let (root, inner) = try Self.split(place)
        let file = try OverlayFile(path)
        do throws(OverlayError) {
            overlay = try file.overlay.placed(at: inner, in: root)
        } catch {
            throw file.error(error)
        }
        self.file = file
        do throws(PlistError) {
            _ = try XMLPlistWriter.write(overlay.document)
        } catch {
            throw CapsuleError(
                "can't be stored in a manifest: \(error.message)\(error.pointer.map { " (at \($0))" } ?? "")", path: path,
                hint: error.hint)
        }
    }

    private static func split(_ place: [UInt8]) throws(CapsuleError) -> (Overlay.Root, String) {
        guard let text = String(validating: place, as: UTF8.self) else {
            throw CapsuleError(.usage, "is not UTF-8, so an overlay can't name it", path: HostPath(place))
        }
        var root = Overlay.Root.appData
        var path = text[...]
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count > 1, parts[0] == "AppData" || parts[0] == "AppBundle" {
            root = parts[0] == "AppData" ? .appData : .appBundle
            path = text[parts[1].startIndex...]
        } else if parts.count == 3, parts[0] == "AppGroup", !parts[1].isEmpty {
            root = .appGroup(String(parts[1]))
            path = parts[2]
        }
        guard RelativePath.isSound(Array(path.utf8)), !path.isEmpty else {
            throw CapsuleError(
                .usage, "is not a path in a container", path: HostPath(place),
                hint: "write it as 'capsule ls' does, for example Library/Preferences/com.example.app.plist")
        }
        return (root, String(path))
    }
}
