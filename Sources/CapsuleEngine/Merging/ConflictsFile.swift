public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// A file of conflicts: XML, or JSON where the name says so.
public enum ConflictsFile {
    /// Writes the conflicts of a merge, for their owner alone: they hold values of all three sides. `-` is standard output.
    public static func write(
        _ document: ConflictsDocument, to path: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        try OutputFile.write(
            try bytes(of: document.document, for: path), to: path, replacing: replacing, mode: OutputFile.privateMode)
    }

    /// XML can't hold a null or a fraction of a second, which rows and JSON have: then it is JSON, too.
    private static func bytes(of value: PlistValue, for path: HostPath) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            if !path.isNamedJSON {
                do throws(PlistError) {
                    return try PlistWriter.write(value, as: .xml)
                } catch {
                    guard error.code == .notRepresentable else { throw error }
                }
            }
            return try JSONPlistWriter.write(value, options: .typed)
        } catch {
            throw CapsuleError(error, in: path)
        }
    }

    /// Reads what was decided; `-` is standard input.
    ///
    /// - Throws: with the place for what is no such file.
    public static func read(_ path: HostPath) throws(CapsuleError) -> ConflictsDocument {
        let file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        var value = file.document.value
        if file.document.format == .json {
            do throws(PlistError) {
                value = try PlistReader.read(file.document.bytes, accepting: [.json], json: .typed).value
            } catch {
                throw CapsuleError(error, in: path)
            }
        }
        do throws(OverlayError) {
            return try ConflictsDocument(value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }
}
