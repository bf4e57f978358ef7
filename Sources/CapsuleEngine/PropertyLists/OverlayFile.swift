public import CapsuleCore
import CapsulePropertyList

/// An overlay in a file.
public struct OverlayFile: Sendable {
    /// The file.
    public let file: PlistFile
    /// What it says.
    public let overlay: Overlay

    /// Where it was read from.
    public var path: HostPath { file.path }

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file, or `-`.
    ///   - isDeep: whether a JSON object is a plain overlay, in which null takes a key away.
    public init(_ path: HostPath, isDeep: Bool = false) throws(CapsuleError) {
        try self.init(try PlistFile(path), isDeep: isDeep)
    }

    /// Reads what a file holds that was read already.
    ///
    /// - Throws: for what is no overlay, and for a document in which a key comes twice.
    init(_ file: PlistFile, isDeep: Bool = false) throws(CapsuleError) {
        self.file = file
        do throws(OverlayError) {
            overlay = try Overlay(file.document.value, format: file.document.format, isDeep: isDeep)
        } catch {
            throw CapsuleError(error, in: file)
        }
        // A document is in a format of Capsule's own, in which no part may silently be left out.
        if overlay.form == .document { try file.refuseDuplicateKeys() }
    }

    /// An error of the overlay, with the place in its file.
    public func error(_ error: OverlayError) -> CapsuleError { CapsuleError(error, in: file) }
}
