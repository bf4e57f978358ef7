public import CapsuleCore
import CapsulePropertyList

/// The files that say how a diff is judged.
public enum DiffDocuments {
    /// Rules about noise; those that are built in stand before them.
    ///
    /// - Throws: with the place for what is no such file.
    public static func rules(_ path: HostPath) throws(CapsuleError) -> NoiseRules {
        let file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        do throws(OverlayError) {
            return try NoiseRules(file.document.value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }
}
