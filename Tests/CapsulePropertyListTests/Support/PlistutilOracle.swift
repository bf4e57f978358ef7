import CapsulePropertyList
import TestSupport

/// Converts property lists with libplist's `plistutil`.
enum PlistutilOracle {
    static let isThere = (try? Program.run("plistutil", ["--version"]))?.status == 0

    /// Returns each document in another encoding.
    static func convert(_ documents: [[UInt8]], to format: PlistFormat) throws -> [[UInt8]] {
        let scratch = try TemporaryDirectory()
        for (number, document) in documents.enumerated() { try Files.write(document, to: scratch["\(number).in"]) }
        let script = """
            for document in *.in; do
                plistutil -i "$document" -o "${document%.in}.out" -f \(format == .xml ? "xml" : "bin") || exit
            done
            """
        let run = try Program.run("sh", ["-c", script], in: scratch.path)
        guard run.status == 0 else { throw SupportError("plistutil: status \(run.status): \(run.errors)") }
        return try documents.indices.map { try Files.read(scratch["\($0).out"]) }
    }
}
