import CapsuleCore

/// An operator of Xcode that changes a value, `$(NAME:OPERATOR)` or `$(NAME:OPERATOR=TEXT)`.
///
/// (swiftlang/swift-build MacroEvaluationProgram.swift, `MacroEvaluationRetrievalOperator` and its replacement counterpart)
enum ExpansionOperator: String, CaseIterable {
    case upper, lower, identifier, rfc1034identifier, c99extidentifier, dir, file, base, suffix, standardizepath
    case `default` = "default="

    init?(name: String, takesText: Bool) {
        guard !name.hasSuffix("=") else { return nil }
        self.init(rawValue: takesText ? name + "=" : name)
    }

    static func names(takingText takesText: Bool) -> [String] {
        allCases.map(\.rawValue).filter { $0.hasSuffix("=") == takesText }
    }

    func apply(to value: String, _ text: String) throws(OverlayError) -> String {
        let path = SettingPath(value)
        switch self {
        case .upper: return value.uppercased()
        case .lower: return value.lowercased()
        case .identifier: return Self.identifier(value, "_")
        case .rfc1034identifier: return Self.identifier(value, "-")
        case .c99extidentifier:
            guard value.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw OverlayError(
                    .invalid, "'c99extidentifier' needs an ASCII value, not '\(value)'",
                    hint: "'identifier' replaces other characters with '_'")
            }
            return Self.identifier(value, "_")
        case .dir: return path.directory.isEmpty ? "./" : path.directory.hasSuffix("/") ? path.directory : path.directory + "/"
        case .file: return path.name
        case .base: return path.stem
        case .suffix: return path.suffix
        case .standardizepath: return path.standardized
        case .default: return value.isEmpty ? text : value
        }
    }

    /// Keeps ASCII letters, `character`, and digits that are not first, and replaces all else by `character`.
    private static func identifier(_ value: String, _ character: Character) -> String {
        var result = ""
        for (number, element) in value.enumerated() {
            let isKept: Bool
            switch element {
            case character: isKept = true
            case _ where !element.isASCII || element.utf8.count != 1: isKept = false
            case "A"..."Z", "a"..."z": isKept = true
            case "0"..."9": isKept = number > 0
            default: isKept = false
            }
            result.append(isKept ? element : character)
        }
        return result
    }
}

/// A path in a build setting, split as Xcode's operators do.
///
/// (swiftlang/swift-build Sources/SWBUtil/Path.swift)
private struct SettingPath {
    private let path: String
    private let nameStart: String.Index
    /// The index of the last `.` of the name; the end if there is none.
    private let suffixStart: String.Index

    init(_ path: String) {
        self.path = path
        let bytes = path.utf8
        nameStart = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        suffixStart = bytes[nameStart...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    }

    var directory: String {
        guard nameStart > path.startIndex else { return "" }
        let slash = path.utf8.index(before: nameStart)
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    var name: String { String(path[nameStart...]) }
    var stem: String { String(path[nameStart..<suffixStart]) }
    var suffix: String { String(path[suffixStart...]) }

    /// The path without empty and `.` components and, if it is absolute, without `..`.
    var standardized: String {
        guard path != "." else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var components: [Substring] = []
        for component in path.split(separator: "/") where component != "." {
            if component == "..", isAbsolute {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        return (isAbsolute ? "/" : "") + components.joined(separator: "/")
    }
}
