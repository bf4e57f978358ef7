public import CapsuleCore
public import CapsulePropertyList

/// Writes values as property lists for people.
public enum PlistOutput {
    /// Writes a value in an encoding that can hold it; `-` is standard output.
    public static func write(_ value: PlistValue, to path: HostPath, replacing: Bool) throws(CapsuleError) {
        try OutputFile.write(try bytes(of: value, for: path), to: path, replacing: replacing)
    }

    /// XML, which people read and git shows, where it can hold all: dates of a part of a second and some characters it can't,
    /// and binary holds; null only JSON has.
    private static func bytes(of value: PlistValue, for path: HostPath) throws(CapsuleError) -> [UInt8] {
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
