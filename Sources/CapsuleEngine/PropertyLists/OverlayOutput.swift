public import CapsuleCore
import CapsulePropertyList

/// Writes overlays into files.
public struct OverlayOutput: Sendable {
    /// Where it goes; `-` is standard output.
    public let path: HostPath
    /// Whether an existing file goes.
    public let replaces: Bool

    /// An output to a file, or to standard output.
    public init(_ path: HostPath, replaces: Bool) {
        self.path = path
        self.replaces = replaces
    }

    /// Writes an overlay: a plain one as it is, any other as a document.
    public func write(_ overlay: Overlay) throws(CapsuleError) {
        let value = overlay.form == .plain ? overlay.targets.first?.merge ?? .dictionary(PlistDictionary()) : overlay.document
        try PlistOutput.write(value, to: path, replacing: replaces)
    }

    /// Takes back what was written, if it replaced nothing.
    func withdraw() {
        if !replaces, path != .standardStream { OutputFile.remove(path) }
    }
}
