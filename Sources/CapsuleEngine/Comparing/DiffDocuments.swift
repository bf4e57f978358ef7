public import CapsuleCore
import CapsulePropertyList

/// The files that say how a diff is judged.
public enum DiffDocuments {
    /// Rules about noise; those that are built in stand before them.
    ///
    /// - Throws: with the place for what is no such file.
    public static func rules(_ path: HostPath) throws(CapsuleError) -> NoiseRules {
        let file = try PlistFile(path)
        do throws(OverlayError) {
            return try NoiseRules(file.document.value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }

    /// What a run is expected to change.
    ///
    /// - Throws: with the place for what is no such file.
    public static func expectation(_ path: HostPath) throws(CapsuleError) -> Expectation {
        let file = try PlistFile(path)
        do throws(OverlayError) {
            return try Expectation(file.document.value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }
}

/// Writes reports into files.
public enum ReportFile {
    /// Writes a report, which replaces one that is there; `-` is standard output.
    public static func write(_ bytes: [UInt8], to path: HostPath) throws(CapsuleError) {
        try OutputFile.write(bytes, to: path, replacing: true)
    }

    /// - Throws: where one of the files that are read would be overwritten.
    public static func refuse(_ output: HostPath, overwriting inputs: [HostPath]) throws(CapsuleError) {
        for input in inputs where FileProbe.areSame(input, output) {
            throw CapsuleError(.usage, "would be overwritten", path: input)
        }
    }
}
