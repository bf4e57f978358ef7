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
        try OutputFile.write(try bytes(of: value), to: path, replacing: replaces)
    }

    /// Takes back what was written, if it replaced nothing.
    func withdraw() {
        if !replaces, path != .standardStream { OutputFile.remove(path) }
    }

    /// XML, which people read and git shows, where it can hold all: dates of a part of a second and some characters it can't,
    /// and binary holds; null only JSON has.
    private func bytes(of value: PlistValue) throws(CapsuleError) -> [UInt8] {
        var failure: PlistError?
        for format in [PlistFormat.xml, .binary, .json] {
            do throws(PlistError) {
                return try PlistWriter.write(value, as: format)
            } catch {
                guard error.code == .notRepresentable else { throw CapsuleError(error, in: path) }
                failure = failure ?? error
            }
        }
        guard let failure else { return [] }
        throw CapsuleError(failure, in: path)
    }
}
