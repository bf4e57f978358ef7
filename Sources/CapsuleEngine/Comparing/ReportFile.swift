public import CapsuleCore
import CapsuleFileSystem

/// Writes reports into files.
public enum ReportFile {
    /// Writes a report, which replaces one that is there; `-` is standard output.
    public static func write(_ bytes: [UInt8], to path: HostPath) throws(CapsuleError) {
        try OutputFile.write(bytes, to: path, replacing: true)
    }

    /// - Parameters:
    ///   - output: the file that is to be written.
    ///   - inputs: what is read, capsules' versions and directories among it.
    /// - Throws: where a file that is read would be overwritten, or a report would come to lie in what is compared.
    public static func refuse(_ output: HostPath, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        if output == .standardStream { return }
        for input in inputs {
            // A version is named behind its file.
            let files = [input] + (input.lastIndex(of: UInt8(ascii: "@")).map { [Array(input[..<$0])] } ?? [])
            for file in files.map(HostPath.init) where FileProbe.areSame(file, output) {
                throw CapsuleError(.usage, "would be overwritten", path: file)
            }
            let directory = HostPath(input)
            if FileProbe.isDirectory(directory), FileProbe.leads(output.directory, to: directory) {
                throw CapsuleError(
                    .usage, "lies in what is compared", path: output,
                    hint: "write it somewhere else: nothing that is compared is touched")
            }
        }
    }

    /// Whether two outputs are one file, however they are spelled.
    public static func areSame(_ one: HostPath, _ other: HostPath) -> Bool {
        if one == other || FileProbe.areSame(one, other) { return true }
        guard let place = place(of: one) else { return false }
        return place == self.place(of: other)
    }

    /// Where a file is, or will be: its directory's real path and its name.
    private static func place(of output: HostPath) -> HostPath? {
        if output == .standardStream { return nil }
        return (RealPath.resolve(output.directory)).map { $0.appending(output.name) }
    }
}
