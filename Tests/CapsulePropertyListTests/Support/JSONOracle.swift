import Foundation
import TestSupport

/// What Python's json makes of JSON texts.
enum JSONOracle {
    static let isThere = (try? Program.run("python3", ["-c", "import json"]))?.status == 0

    /// Each text read by Python and written again, with everything beyond ASCII escaped and laid out in several ways.
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

    /// Whether Python takes each text for JSON. It takes NaN, infinity, and surrogates without their other half too.
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
