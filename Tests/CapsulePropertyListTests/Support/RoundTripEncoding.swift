import CapsulePropertyList
import TestSupport

/// An encoding for writing values and reading them back.
enum RoundTripEncoding: String, CaseIterable, Sendable {
    case xml, binary, json, typedJSON, openStep

    func write(_ value: PlistValue) throws(PlistError) -> [UInt8] {
        switch self {
        case .xml: try XMLPlistWriter.write(value)
        case .binary: try BinaryPlistWriter.write(value)
        case .json: try JSONPlistWriter.write(value)
        case .typedJSON: try JSONPlistWriter.write(value, options: .typed)
        case .openStep: try OpenStepPlistWriter.write(value)
        }
    }

    func read(_ bytes: [UInt8]) throws(PlistError) -> PlistValue {
        try PlistReader.read(bytes, accepting: [format], json: self == .typedJSON ? .typed : []).value
    }

    var format: PlistFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        case .json, .typedJSON: .json
        case .openStep: .openStep
        }
    }

    /// Returns a random value that the encoding can represent.
    func value(depth: Int, using generator: inout SeededGenerator) -> PlistValue {
        switch self {
        case .xml: generator.value(depth: depth)
        case .binary: generator.anyValue(depth: depth)
        case .json: generator.jsonValue(depth: depth)
        case .typedJSON: generator.freeValue(depth: depth)
        case .openStep: generator.openStepValue(depth: depth)
        }
    }

    /// Returns true if the encoding can't represent this value itself, whatever its content is.
    func refuses(_ value: PlistValue) -> Bool {
        switch (self, value) {
        case (.typedJSON, _): false
        case (.binary, .null), (.xml, .null), (.openStep, .null): true
        case (.binary, _): false
        case (.json, .data), (.json, .date), (.json, .uid): true
        case (.json, .real(let real)): !real.isFinite
        case (.json, _): false
        case (.openStep, .integer), (.openStep, .real), (.openStep, .boolean), (.openStep, .date), (.openStep, .uid): true
        case (.openStep, _): false
        case (.xml, .real(let real)): real.isNaN && real.bitPattern != Double.nan.bitPattern
        case (.xml, .date(let seconds)):
            seconds != seconds.rounded() || !(-63_145_526_400...252_423_993_599).contains(seconds)
                || seconds.bitPattern == (-0.0).bitPattern
        case (.xml, .string(let string)): !string.string.unicodeScalars.allSatisfy(Self.isCharacterOfXML)
        case (.xml, .dictionary(let dictionary)):
            dictionary.keys.contains { !$0.string.unicodeScalars.allSatisfy(Self.isCharacterOfXML) }
                || dictionary.count == 1 && dictionary["CF$UID"]?.integer?.uint64 != nil
        case (.xml, _): false
        }
    }

    /// XML 1.0 section 2.2.
    private static func isCharacterOfXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Returns true if the encoding can represent a value with its content.
    func holds(_ value: PlistValue) -> Bool {
        guard !refuses(value) else { return false }
        return switch value {
        case .array(let elements): elements.allSatisfy(holds)
        case .dictionary(let dictionary): dictionary.allSatisfy { holds($0.value) }
        default: true
        }
    }
}
