import Foundation
import TestSupport

/// Reads and writes JSON with Python's `json` module.
enum JSONOracle {
    static let isThere = (try? Program.run("python3", ["-c", "import json"]))?.status == 0

    /// Returns each text, read and written again by Python with non-ASCII characters escaped, in several layouts.
    static func rewrite(_ texts: [[UInt8]]) throws -> [[UInt8]] {
        let scratch = try TemporaryDirectory()
        for (number, text) in texts.enumerated() { try Files.write(text, to: scratch["\(number)"]) }
        let script = """
            import json
            for number in range(\(texts.count)):
                with open(str(number), encoding="utf-8", newline="") as file:
                    value = json.loads(file.read())
                with open(str(number), "w", encoding="utf-8", newline="") as file:
                    json.dump(value, file, ensure_ascii=number % 2 == 0, indent=[None, 1, "\\t"][number % 3])
            """
        let run = try Program.run("python3", ["-c", script], in: scratch.path)
        guard run.status == 0 else { throw SupportError("python3: \(run.errors)") }
        return try texts.indices.map { try Files.read(scratch["\($0)"]) }
    }

    /// Returns true for each text that Python accepts as JSON. Python also accepts NaN, infinity and unpaired surrogates.
    static func accepts(_ texts: [String]) throws -> [Bool] {
        let scratch = try TemporaryDirectory()
        for (number, text) in texts.enumerated() { try Files.write(text, to: scratch["\(number)"]) }
        let script = """
            import json
            for number in range(\(texts.count)):
                try:
                    with open(str(number), encoding="utf-8", newline="") as file:
                        json.loads(file.read())
                    print(1)
                except ValueError:
                    print(0)
            """
        let run = try Program.run("python3", ["-c", script], in: scratch.path)
        guard run.status == 0 else { throw SupportError("python3: \(run.errors)") }
        return run.text.split(separator: "\n").map { $0 == "1" }
    }
}
