public import CapsuleCore
import CapsulePropertyList

/// An overlay that is packed with a container, and the property list it is for.
public struct OverlayEntry: Sendable {
    /// The file it comes from.
    public let file: OverlayFile
    /// As a manifest holds it: a document with a place.
    public let overlay: Overlay

    /// Reads `[ROOT:]PATH=FILE`, split at the first `=`; ROOT is `AppData`, `AppBundle` or `AppGroup:ID`.
    ///
    /// - Throws: for an overlay that is not sound, or can't be held by a manifest.
    public init(place: [UInt8], file path: HostPath) throws(CapsuleError) {
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
