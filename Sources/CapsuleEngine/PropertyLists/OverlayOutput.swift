public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// Writes overlays into files.
public struct OverlayOutput: Sendable {
    /// Where it goes; `-` is standard output.
    public let path: HostPath
    /// What may go that has its name.
    public let replaces: Replacement
    /// The file's mode; nil for what the user's mask and the containers leave.
    private(set) var mode: FileMode?

    /// An output to a file, or to standard output.
    public init(_ path: HostPath, replaces: Replacement) {
        self.path = path
        self.replaces = replaces
    }

    /// The same file, for nobody who can't read what the overlay is made of.
    func limited(to modes: [FileMode]) -> OverlayOutput {
        var output = self
        output.mode = (mode ?? FileMode(CreationMask.fileMode)).closed(as: modes)
        return output
    }

    /// The same file, for its owner alone: what takes a change back holds what was there.
    var forOwner: OverlayOutput {
        var output = self
        output.mode = OutputFile.privateMode
        return output
    }

    /// Writes an overlay: a plain one as it is, any other as a document.
    public func write(_ overlay: Overlay) throws(CapsuleError) {
        // A plain one in JSON would be read as a merge patch, which replaces arrays.
        let isPlain = overlay.form == .plain && !path.isNamedJSON
        let value = isPlain ? overlay.targets.first?.merge ?? .dictionary(PlistDictionary()) : overlay.document
        try PlistOutput.write(value, to: path, replacing: replaces, mode: mode, isNamed: true)
    }

    /// Takes back what was written, if it replaced nothing.
    func withdraw() {
        if replaces == .nothing, path != .standardStream { OutputFile.remove(path) }
    }
}
