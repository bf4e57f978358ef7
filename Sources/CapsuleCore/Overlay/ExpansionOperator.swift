/// An operator of Xcode that changes a value, `$(NAME:OPERATOR)` or `$(NAME:OPERATOR=TEXT)`.
///
/// (swiftlang/swift-build MacroEvaluationProgram.swift, `MacroEvaluationRetrievalOperator` and its replacement counterpart; pull
/// request 1258 added `truncatedversion`)
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

    /// Creates the operator with a name; nil if there is none.
    init?(name: String, takesText: Bool) {
        guard !name.hasSuffix("=") else { return nil }
        self.init(rawValue: takesText ? name + "=" : name)
    }

    /// Returns the names of all operators that take a text, or of all that take none, for messages.
    static func names(takingText takesText: Bool) -> [String] {
        allCases.map(\.rawValue).filter { $0.hasSuffix("=") == takesText }
    }

    /// Returns the result of the operator for a value.
    ///
    /// - Parameter text: the text after `=`.
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

    /// Returns the value as one word of a list. Spaces separate words, so spaces, quotes and backslashes in the value get a `\`
    /// before them.
    private static func quoted(_ value: String) -> String {
        guard !value.isEmpty else { return "\"\"" }
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if " \t\r\n\\\"'".utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
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
    /// The index after the last `/`.
    private let nameStart: String.Index
    /// The index of the last `.` of the name; the end if there is none.
    private let suffixStart: String.Index

    init(_ path: String) {
        self.path = path
        let bytes = path.utf8
        nameStart = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        suffixStart = bytes[nameStart...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    }

    /// The part before the last `/`; the root keeps its `/`.
    var directory: String {
        guard nameStart > path.startIndex else { return "" }
        let slash = path.utf8.index(before: nameStart)
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The part after the last `/`.
    var name: String { String(path[nameStart...]) }

    /// The name before its last `.`.
    var stem: String { String(path[nameStart..<suffixStart]) }

    /// The name from its last `.` on.
    var suffix: String { String(path[suffixStart...]) }

    /// The path without the suffix.
    var withoutSuffix: String { String(path[..<suffixStart]) }

    /// The path without empty and `.` components and, if it is absolute, without `..`.
    var standardized: String {
        guard path != "." else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        return (isAbsolute ? "/" : "") + components(resolvingParents: isAbsolute).joined(separator: "/")
    }

    private func components(resolvingParents: Bool) -> [Substring] {
        var components: [Substring] = []
        for component in path.split(separator: "/") where component != "." {
            if component == "..", resolvingParents {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        return components
    }

    /// Returns one path after another. An absolute second path stays as it is.
    static func join(_ path: String, _ other: String) -> String {
        if path.isEmpty || other.beginsWithSlash { return other }
        if other.isEmpty { return path }
        return path.hasSuffix("/") ? path + other : path + "/" + other
    }

    /// Returns the relative path from one directory to another; nil if one of them is not absolute.
    static func way(from base: String, to target: String) -> String? {
        guard let (base, target) = absolute(base, target) else { return nil }
        let common = zip(base, target).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: base.count - common) + target[common...].map(String.init)
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }

    /// Returns true if a directory contains a path, at any depth; false if one of them is not absolute.
    static func isAncestor(_ directory: String, of path: String) -> Bool {
        guard let (directory, path) = absolute(directory, path) else { return false }
        return directory.count < path.count && path.starts(with: directory)
    }

    private static func absolute(_ first: String, _ second: String) -> ([Substring], [Substring])? {
        guard first.beginsWithSlash, second.beginsWithSlash else { return nil }
        return (SettingPath(first).components(resolvingParents: true), SettingPath(second).components(resolvingParents: true))
    }
}

/// Creates identifiers of C with the letters that C99 allows (ISO/IEC 9899:1999, annex D).
private enum C99Identifier {
    /// Returns the value with `_` for each scalar that is not allowed, and for a digit in the first place.
    ///
    /// Letters that are spelled with combining marks count as their composed letters.
    static func made(of value: String) -> String {
        var result = String.UnicodeScalarView()
        for character in value {
            for scalar in composed(character) {
                let isDigit = contains(scalar, digits)
                let isKept = isDigit ? !result.isEmpty : contains(scalar, letters)
                result.append(isKept ? scalar : "_")
            }
        }
        return String(result)
    }

    /// Returns the character's scalars, with the longest prefix that equals a single scalar replaced by it.
    private static func composed(_ character: Character) -> [Unicode.Scalar] {
        let scalars = Array(character.unicodeScalars)
        guard scalars.count > 1 else { return scalars }
        for count in stride(from: min(scalars.count, longestDecomposition), to: 1, by: -1) {
            var head = String.UnicodeScalarView()
            head.append(contentsOf: scalars[..<count])
            if let single = compositions[String(head)] { return [single] + scalars[count...] }
        }
        return scalars
    }

    /// The maximum number of scalars in a complete decomposition of a letter. Greek letters have up to four.
    private static let longestDecomposition = 4

    /// The composed letters. Strings are equal, and hash equally, in every spelling of their letters, so each spelling finds its
    /// letter.
    private static let compositions: [String: Unicode.Scalar] = {
        var compositions: [String: Unicode.Scalar] = [:]
        for range in letters where range.lowerBound > 0x7F && range.lowerBound != 0x4E00 {
            for scalar in range.lazy.compactMap(Unicode.Scalar.init) { compositions[String(scalar)] = scalar }
        }
        return compositions
    }()

    private static func contains(_ scalar: Unicode.Scalar, _ ranges: [ClosedRange<UInt32>]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(scalar.value)
    }

    /// The letters, in ascending order.
    private static let letters: [ClosedRange<UInt32>] = [
        0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xAA...0xAA, 0xB5...0xB5, 0xB7...0xB7, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6,
        0xF8...0x1F5, 0x1FA...0x217, 0x250...0x2A8, 0x2B0...0x2B8, 0x2BB...0x2BB, 0x2BD...0x2C1, 0x2D0...0x2D1, 0x2E0...0x2E4,
        0x37A...0x37A, 0x386...0x386, 0x388...0x38A, 0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x3CE, 0x3D0...0x3D6,
        0x3DA...0x3DA, 0x3DC...0x3DC, 0x3DE...0x3DE, 0x3E0...0x3E0, 0x3E2...0x3F3, 0x401...0x40C, 0x40E...0x44F,
        0x451...0x45C, 0x45E...0x481, 0x490...0x4C4, 0x4C7...0x4C8, 0x4CB...0x4CC, 0x4D0...0x4EB, 0x4EE...0x4F5,
        0x4F8...0x4F9, 0x531...0x556, 0x559...0x559, 0x561...0x587, 0x5B0...0x5B9, 0x5BB...0x5BD, 0x5BF...0x5BF,
        0x5C1...0x5C2, 0x5D0...0x5EA, 0x5F0...0x5F2, 0x621...0x63A, 0x640...0x652, 0x670...0x6B7, 0x6BA...0x6BE,
        0x6C0...0x6CE, 0x6D0...0x6DC, 0x6E5...0x6E8, 0x6EA...0x6ED, 0x901...0x903, 0x905...0x939, 0x93D...0x94D,
        0x950...0x952, 0x958...0x963, 0x981...0x983, 0x985...0x98C, 0x98F...0x990, 0x993...0x9A8, 0x9AA...0x9B0,
        0x9B2...0x9B2, 0x9B6...0x9B9, 0x9BE...0x9C4, 0x9C7...0x9C8, 0x9CB...0x9CD, 0x9DC...0x9DD, 0x9DF...0x9E3,
        0x9F0...0x9F1, 0xA02...0xA02, 0xA05...0xA0A, 0xA0F...0xA10, 0xA13...0xA28, 0xA2A...0xA30, 0xA32...0xA33,
        0xA35...0xA36, 0xA38...0xA39, 0xA3E...0xA42, 0xA47...0xA48, 0xA4B...0xA4D, 0xA59...0xA5C, 0xA5E...0xA5E,
        0xA74...0xA74, 0xA81...0xA83, 0xA85...0xA8B, 0xA8D...0xA8D, 0xA8F...0xA91, 0xA93...0xAA8, 0xAAA...0xAB0,
        0xAB2...0xAB3, 0xAB5...0xAB9, 0xABD...0xAC5, 0xAC7...0xAC9, 0xACB...0xACD, 0xAD0...0xAD0, 0xAE0...0xAE0,
        0xB01...0xB03, 0xB05...0xB0C, 0xB0F...0xB10, 0xB13...0xB28, 0xB2A...0xB30, 0xB32...0xB33, 0xB36...0xB39,
        0xB3D...0xB43, 0xB47...0xB48, 0xB4B...0xB4D, 0xB5C...0xB5D, 0xB5F...0xB61, 0xB82...0xB83, 0xB85...0xB8A,
        0xB8E...0xB90, 0xB92...0xB95, 0xB99...0xB9A, 0xB9C...0xB9C, 0xB9E...0xB9F, 0xBA3...0xBA4, 0xBA8...0xBAA,
        0xBAE...0xBB5, 0xBB7...0xBB9, 0xBBE...0xBC2, 0xBC6...0xBC8, 0xBCA...0xBCD, 0xC01...0xC03, 0xC05...0xC0C,
        0xC0E...0xC10, 0xC12...0xC28, 0xC2A...0xC33, 0xC35...0xC39, 0xC3E...0xC44, 0xC46...0xC48, 0xC4A...0xC4D,
        0xC60...0xC61, 0xC82...0xC83, 0xC85...0xC8C, 0xC8E...0xC90, 0xC92...0xCA8, 0xCAA...0xCB3, 0xCB5...0xCB9,
        0xCBE...0xCC4, 0xCC6...0xCC8, 0xCCA...0xCCD, 0xCDE...0xCDE, 0xCE0...0xCE1, 0xD02...0xD03, 0xD05...0xD0C,
        0xD0E...0xD10, 0xD12...0xD28, 0xD2A...0xD39, 0xD3E...0xD43, 0xD46...0xD48, 0xD4A...0xD4D, 0xD60...0xD61,
        0xE01...0xE3A, 0xE40...0xE5B, 0xE81...0xE82, 0xE84...0xE84, 0xE87...0xE88, 0xE8A...0xE8A, 0xE8D...0xE8D,
        0xE94...0xE97, 0xE99...0xE9F, 0xEA1...0xEA3, 0xEA5...0xEA5, 0xEA7...0xEA7, 0xEAA...0xEAB, 0xEAD...0xEAE,
        0xEB0...0xEB9, 0xEBB...0xEBD, 0xEC0...0xEC4, 0xEC6...0xEC6, 0xEC8...0xECD, 0xEDC...0xEDD, 0xF00...0xF00,
        0xF18...0xF19, 0xF35...0xF35, 0xF37...0xF37, 0xF39...0xF39, 0xF3E...0xF47, 0xF49...0xF69, 0xF71...0xF84,
        0xF86...0xF8B, 0xF90...0xF95, 0xF97...0xF97, 0xF99...0xFAD, 0xFB1...0xFB7, 0xFB9...0xFB9, 0x10A0...0x10C5,
        0x10D0...0x10F6, 0x1E00...0x1E9B, 0x1EA0...0x1EF9, 0x1F00...0x1F15, 0x1F18...0x1F1D, 0x1F20...0x1F45, 0x1F48...0x1F4D,
        0x1F50...0x1F57, 0x1F59...0x1F59, 0x1F5B...0x1F5B, 0x1F5D...0x1F5D, 0x1F5F...0x1F7D, 0x1F80...0x1FB4, 0x1FB6...0x1FBC,
        0x1FBE...0x1FBE, 0x1FC2...0x1FC4, 0x1FC6...0x1FCC, 0x1FD0...0x1FD3, 0x1FD6...0x1FDB, 0x1FE0...0x1FEC, 0x1FF2...0x1FF4,
        0x1FF6...0x1FFC, 0x203F...0x2040, 0x207F...0x207F, 0x2102...0x2102, 0x2107...0x2107, 0x210A...0x2113, 0x2115...0x2115,
        0x2118...0x211D, 0x2124...0x2124, 0x2126...0x2126, 0x2128...0x2128, 0x212A...0x2131, 0x2133...0x2138, 0x2160...0x2182,
        0x3005...0x3007, 0x3021...0x3029, 0x3041...0x3093, 0x309B...0x309C, 0x30A1...0x30F6, 0x30FB...0x30FC, 0x3105...0x312C,
        0x4E00...0x9FA5, 0xAC00...0xD7A3,
    ]

    private static let digits: [ClosedRange<UInt32>] = [
        0x30...0x39, 0x660...0x669, 0x6F0...0x6F9, 0x966...0x96F, 0x9E6...0x9EF, 0xA66...0xA6F, 0xAE6...0xAEF, 0xB66...0xB6F,
        0xBE7...0xBEF, 0xC66...0xC6F, 0xCE6...0xCEF, 0xD66...0xD6F, 0xE50...0xE59, 0xED0...0xED9, 0xF20...0xF33,
    ]
}
