public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// An overlay in a file.
public struct OverlayFile: Sendable {
    /// Where it was read from.
    public let path: HostPath
    /// What it says.
    public let overlay: Overlay

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameter isDeep: whether a JSON object is a plain overlay, in which null takes a key away.
    public init(_ path: HostPath, isDeep: Bool = false) throws(CapsuleError) {
        let file = try PlistFile(path)
        self.path = file.path
        do throws(OverlayError) {
            overlay = try Overlay(file.document.value, format: file.document.format, isDeep: isDeep)
        } catch {
            throw CapsuleError(error, applying: file.path, to: nil)
        }
    }
}
