public import CapsuleCore
public import CapsulePropertyList

/// Writes values as property lists for people.
public enum PlistOutput {
    /// Writes a value in an encoding that can hold it.
    ///
    /// - Parameters:
    ///   - value: what is written.
    ///   - path: `-` is standard output.
    ///   - replacing: what it may take the place of.
    ///   - isNamed: whether a name that ends in `.json` asks for JSON, as for files that are read the same in any encoding.
    ///   - lineDepth: in JSON, how many containers may be around what has a line of its own; nil for any number.
    public static func write(
        _ value: PlistValue, to path: HostPath, replacing: Replacement, isNamed: Bool = false, lineDepth: Int? = nil
    ) throws(CapsuleError) {
        try write(value, to: path, replacing: replacing, mode: nil, isNamed: isNamed, lineDepth: lineDepth)
    }

    /// - Parameter mode: nil for what the user's mask leaves.
    static func write(
        _ value: PlistValue, to path: HostPath, replacing: Replacement, mode: FileMode?, isNamed: Bool = false,
        lineDepth: Int? = nil
    ) throws(CapsuleError) {
        let isJSON = isNamed && path.isNamedJSON
        try OutputFile.write(
            try bytes(of: value, for: path, in: isJSON ? [.json] : [.xml, .binary, .json], lineDepth), to: path,
            replacing: replacing, mode: mode)
    }

    /// In the first format that can hold all. XML, which people read and git shows, where it can hold all: dates of a part of a second and some characters it can't,
    /// and binary holds; null only JSON has.
    private static func bytes(
        of value: PlistValue, for path: HostPath, in formats: [PlistFormat], _ lineDepth: Int?
    ) throws(CapsuleError) -> [UInt8] {
        var failure: PlistError?
        for format in formats {
            do throws(PlistError) {
                if format == .json { return try JSONPlistWriter.write(value, lineDepth: lineDepth) }
                return try PlistWriter.write(value, as: format)
            } catch {
                guard error.code == .notRepresentable else { throw CapsuleError(error, in: path) }
                failure = failure ?? error
            }
        }
        guard let failure else { return [] }
        let error = CapsuleError(failure, in: path)
        let hint = "a file name without '.json' writes a property list, which can hold it"
        throw formats == [.json] ? CapsuleError("can't be JSON: \(error.message)", path: path, hint: hint) : error
    }
}

extension HostPath {
    /// Whether the name ends in `.json`, in any case.
    var isNamedJSON: Bool { String(decoding: name, as: UTF8.self).lowercased().hasSuffix(".json") }
}
