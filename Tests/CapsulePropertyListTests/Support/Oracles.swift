import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Reads and writes property lists with Foundation.
enum FoundationOracle {
    /// Reads any encoding that Foundation supports.
    static func read(_ bytes: [UInt8]) throws -> PlistValue {
        try value(try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil))
    }

    /// Writes a value that Foundation can represent, which excludes UIDs.
    static func write(_ value: PlistValue, _ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
        [UInt8](try PropertyListSerialization.data(fromPropertyList: object(value), format: format, options: 0))
    }

    private static func value(_ object: Any) throws -> PlistValue {
        switch object {
        case let string as String:
            return .string(PlistString(string))
        case let data as Data:
            return .data([UInt8](data))
        case let date as Date:
            return .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c": return .boolean(number.boolValue)
            case "d", "f": return .real(number.doubleValue)
            case "Q": return .integer(PlistInteger(number.uint64Value))
            default: return .integer(PlistInteger(number.int64Value))
            }
        case let elements as [Any]:
            return .array(try elements.map { try value($0) })
        case let entries as [String: Any]:
            return .dictionary(PlistDictionary(try entries.map { (PlistString($0.key), try value($0.value)) }))
        default:
            throw Surprise(description: "Foundation made \(type(of: object))")
        }
    }

    private static func object(_ value: PlistValue) throws -> Any {
        switch value {
        case .string(let string): return string.string
        case .integer(let integer): return integer.int64.map { $0 as Any } ?? (integer.uint64 ?? 0) as Any
        case .real(let real): return real
        case .boolean(let boolean): return boolean
        case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): return Data(bytes)
        case .array(let elements): return try elements.map { try object($0) }
        case .dictionary(let dictionary):
            return Dictionary(try dictionary.map { ($0.key.string, try object($0.value)) }, uniquingKeysWith: { $1 })
        case .uid: throw Surprise(description: "Foundation writes no UIDs")
        case .null: throw Surprise(description: "Foundation writes no null")
        }
    }

    struct Surprise: Error, CustomStringConvertible {
        let description: String
    }
}

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
