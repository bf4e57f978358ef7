import Foundation
import TestSupport

/// Reads and writes property lists with Python's `plistlib`.
enum PythonOracle {
    static let isThere = (try? Program.run("python3", ["-c", "import plistlib"]))?.status == 0

    /// Returns the result of a Python expression for each document, which is named `document` in it.
    static func transform(_ documents: [[UInt8]], _ expression: String) throws -> [[UInt8]] {
        let scratch = try TemporaryDirectory()
        for (number, document) in documents.enumerated() { try Files.write(document, to: scratch["\(number)"]) }
        let script = """
            import plistlib
            for number in range(\(documents.count)):
                with open(str(number), "rb") as file:
                    document = file.read()
                with open(str(number), "wb") as file:
                    file.write(\(expression))
            """
        let run = try Program.run("python3", ["-c", script], in: scratch.path)
        guard run.status == 0 else { throw SupportError("python3: \(run.errors)") }
        return try documents.indices.map { try Files.read(scratch["\($0)"]) }
    }
}
