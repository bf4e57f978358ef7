public import CapsuleCore
import CapsuleFileSystem

/// Writes reports into files.
public enum ReportFile {
    /// Writes a report, which may take the place of one of its form that Capsule wrote; `-` is standard output.
    public static func write(
        _ bytes: [UInt8], as form: ReportForm, to path: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        try OutputFile.write(bytes, to: path, as: .report(form), replacing: replacing)
    }
}
