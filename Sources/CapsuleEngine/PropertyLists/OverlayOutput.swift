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

    /// - Parameter inputs: what is read, or changed, as it was named: files and capsules' versions.
    /// - Throws: for one whose place this would take.
    func refuse(overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        if path == .standardStream { return }
        for input in inputs {
            // A version is named behind its file.
            let files = [input] + (input.lastIndex(of: UInt8(ascii: "@")).map { [Array(input[..<$0])] } ?? [])
            for file in files.map(HostPath.init) where file == path || FileProbe.areSame(file, path) {
                throw CapsuleError(.usage, "would be overwritten by what takes the change back", path: file)
            }
        }
    }

    /// Takes back what was written, if it replaced nothing.
    func withdraw() {
        if !replaces, path != .standardStream { OutputFile.remove(path) }
    }
}
