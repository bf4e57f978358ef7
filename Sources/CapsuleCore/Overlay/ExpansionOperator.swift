/// What Xcode's operators make of a value, `$(NAME:OPERATOR)` and `$(NAME:OPERATOR=TEXT)`.
///
/// (swiftlang/swift-build MacroEvaluationProgram.swift, `MacroEvaluationRetrievalOperator` and its replacement counterpart;
/// `truncatedversion` came with its pull request 1258)
enum ExpansionOperator: String, CaseIterable {
    case quote, upper, lower, identifier, rfc1034identifier, c99extidentifier, dir, file, base, suffix, standardizepath, not
    case truncatedversion
    case replaceDir = "dir="
    case replaceFile = "file="
    case replaceBase = "base="
    case replaceSuffix = "suffix="
    case `default` = "default="
    case relativeTo = "relativeto="
    case isAncestor = "isancestor="

    /// The operator of a name; nil if there is none.
    init?(name: String, takesText: Bool) {
        guard !name.hasSuffix("=") else { return nil }
        self.init(rawValue: takesText ? name + "=" : name)
    }

    /// All names, for messages.
    static func names(takingText takesText: Bool) -> [String] {
        allCases.map(\.rawValue).filter { $0.hasSuffix("=") == takesText }
    }

    /// The value that an operator makes of another.
    ///
    /// - Parameter text: what stands after `=`.
    func apply(to value: String, _ text: String) -> String {
        let path = SettingPath(value)
        switch self {
        case .quote: return Self.quoted(value)
        case .upper: return value.uppercased()
        case .lower: return value.lowercased()
        case .identifier: return Self.identifier(value, "_")
        case .rfc1034identifier: return Self.identifier(value, "-")
        case .c99extidentifier: return C99Identifier.made(of: value)
        case .dir: return path.directory.isEmpty ? "./" : path.directory.hasSuffix("/") ? path.directory : path.directory + "/"
        case .file: return path.name
        case .base: return path.stem
        case .suffix: return path.suffix
        case .standardizepath: return path.standardized
        case .not: return value == "YES" ? "NO" : "YES"
        case .truncatedversion:
            return value.split(separator: ".", omittingEmptySubsequences: false).prefix(3).joined(separator: ".")
        case .replaceDir: return SettingPath.join(text, path.name)
        case .replaceFile: return SettingPath.join(path.directory, text)
        case .replaceBase: return SettingPath.join(path.directory, text) + "." + path.suffix.dropFirst()
        case .replaceSuffix:
            return path.withoutSuffix + "."
                + (text.utf8.contains(UInt8(ascii: ".")) ? SettingPath(text).suffix.dropFirst() : text[...])
        case .default: return value.isEmpty ? text : value
        case .relativeTo: return SettingPath.way(from: value, to: text) ?? value
        case .isAncestor: return SettingPath.isAncestor(text, of: value) ? "YES" : "NO"
        }
    }

    /// Words of a list are told apart by spaces, so those of a value get a `\` before them.
    private static func quoted(_ value: String) -> String {
        guard !value.isEmpty else { return "\"\"" }
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if " \t\r\n\\\"'".utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// ASCII letters, the character itself, and digits but in the first place; the character for all else.
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
