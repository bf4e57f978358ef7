import CapsulePropertyList
import Foundation
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
