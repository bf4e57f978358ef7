import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// What a flag's or a positional's value may be. The parser checks it, messages tell it, completions follow it.
enum ValueForm: Sendable, Hashable {
    /// A container in any form; `-` is standard input where the verb says so.
    case container(FileUse)
    case file(FileUse)
    case directory(FileUse)
    /// A path inside a container.
    case path
    /// A pattern over such paths.
    case glob
    /// UTF-8 that a property list can hold.
    case text
    /// The name of a version.
    case label
    /// Versions as `FILE@VERSION` names them, with commas between.
    case versions
    case integer(ClosedRange<Int>)
    /// Seconds from 0 on, with decimals, up to so many.
    case seconds(Int)
    case words([String])
    /// `NAME=DIRECTORY`.
    case namedDirectory(FileUse)
    /// `[ROOT:]PATH=FILE`.
    case namedFile(FileUse)
    /// `NAME=VALUE`; the value may be empty.
    case definition
    /// What `capsule help` explains.
    case topic
    /// A program, or an argument for it.
    case program

    /// What is done with the file or the directory that it names; nil if it names none.
    var use: FileUse? {
        switch self {
        case .container(let use), .file(let use), .directory(let use), .namedDirectory(let use), .namedFile(let use): use
        case .path, .glob, .text, .label, .versions, .integer, .seconds, .words, .definition, .topic, .program: nil
        }
    }

    /// The words of `choice`, in its order.
    static func words<Choice: WordChoice>(_ choice: Choice.Type) -> ValueForm {
        .words(Choice.allCases.map(\.rawValue))
    }
}

/// What a command does with the file or the directory that an argument names. Each such argument declares it, and all that
/// guards files goes by it.
enum FileUse: Sendable, Hashable {
    /// It is read.
    case input
    /// It is changed in place: it is what the command works on.
    case target
    /// It is made, or takes the place of what is there. With a kind, what that may be is checked before anything is read; without
    /// one the command finds out what it makes. With the flag `inPlaceWith` it is a target instead.
    case output(OutputKind?, inPlaceWith: Flag.ID? = nil)
    /// Files or directories with names of their own appear in it.
    case results
}

extension ValueForm {
    /// The value that `bytes` stand for, or nil if they are not of this form; ``expectation`` tells what would be.
    ///
    /// A topic is not looked up here: only the parser knows the table, and it can suggest the nearest.
    func value(of bytes: [UInt8]) -> ArgumentValue? {
        switch self {
        case .container, .file, .directory, .path, .glob, .topic:
            return bytes.isEmpty ? nil : .bytes(bytes)
        case .program:
            return .bytes(bytes)
        case .text:
            return Self.plistText(bytes).map { .text($0) }
        case .label:
            return Self.isLabel(bytes) ? .text(String(decoding: bytes, as: UTF8.self)) : nil
        case .versions:
            let text = String(decoding: bytes, as: UTF8.self)
            return VersionSelector.list(text) == nil ? nil : .text(text)
        case .integer(let range):
            return Self.integer(bytes, in: range).map { .integer($0) }
        case .seconds(let most):
            return Self.seconds(bytes, most: most).map { .seconds($0) }
        case .words(let words):
            return words.first { $0.utf8.elementsEqual(bytes) }.map { .text($0) }
        case .namedDirectory, .namedFile:
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, equals + 1 < bytes.count else { return nil }
            return .named(NamedValue(name: Array(bytes[..<equals]), value: Array(bytes[(equals + 1)...])))
        case .definition:
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, Self.plistText(bytes) != nil else {
                return nil
            }
            return .named(NamedValue(name: Array(bytes[..<equals]), value: Array(bytes[(equals + 1)...])))
        }
    }

    /// What is allowed, for messages: `a whole number from 1 to 256`.
    var expectation: String {
        switch self {
        case .container: "a container"
        case .file: "a file name"
        case .directory: "a directory"
        case .path: "a path in the container"
        case .glob: "a non-empty pattern"
        case .text: "UTF-8 text without control characters"
        case .label: "letters, digits, '.', '_' and '-', but not only digits, 'latest' or 'first'"
        case .versions: "a comma-separated list of versions: 'latest', 'first', '~1', a number or a label"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds(let most): "a number of seconds from 0 to \(most)"
        case .words(let words): Suggestions.alternatives(words)
        case .namedDirectory: "ID=DIR"
        case .namedFile: "PATH=FILE"
        case .definition: "NAME=VALUE"
        case .topic: "a verb or a guide"
        case .program: "a command"
        }
    }

    /// Digits only: no sign, no space, nothing that overflows.
    private static func integer(_ bytes: [UInt8], in range: ClosedRange<Int>) -> Int? {
        guard bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard let number = Int(String(decoding: bytes, as: UTF8.self)), range.contains(number) else { return nil }
        return number
    }

    /// Digits, with one point between them at most: no sign, no exponent.
    private static func seconds(_ bytes: [UInt8], most: Int) -> Double? {
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            })
        else { return nil }
        guard let seconds = Double(String(decoding: bytes, as: UTF8.self)), seconds <= Double(most) else { return nil }
        return seconds
    }

    /// The grammar of labels: `[A-Za-z0-9._-]+`, but nothing that `FILE@VERSION` would take for something else.
    private static func isLabel(_ bytes: [UInt8]) -> Bool {
        let isAllowed = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        let isNumber = bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isReserved = ["latest", "first"].contains { $0.utf8.elementsEqual(bytes) }
        return isAllowed && !isNumber && !isReserved
    }

    /// The text if it is UTF-8 of characters that XML 1.0 allows: a manifest is an XML property list.
    private static func plistText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isHeld = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0...0x1F, 0x7F...0x9F, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        return isHeld ? text : nil
    }
}

/// One value as the parser accepted it: a flag's or a positional's, checked against its ``ValueForm``.
enum ArgumentValue: Sendable, Hashable {
    /// A switch was given.
    case on
    /// A file, directory, container, path or pattern: bytes as typed, since names need not be UTF-8.
    case bytes([UInt8])
    /// A label, a note or one of a list of words.
    case text(String)
    case integer(Int)
    case seconds(Double)
    case named(NamedValue)
}

extension ArgumentValue {
    /// The bytes, if it is of that kind.
    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The text, if it is of that kind.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The time, if it is of that kind.
    var seconds: Double? {
        guard case .seconds(let seconds) = self else { return nil }
        return seconds
    }

    /// The number, if it is of that kind.
    var integer: Int? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }
}

/// A value of the form `NAME=VALUE`, split at its first `=`; the name is not empty.
struct NamedValue: Sendable, Hashable {
    let name: [UInt8]
    let value: [UInt8]
}

/// A closed list of words that a flag or a positional takes; the raw values are what is typed.
protocol WordChoice: Sendable, CaseIterable, RawRepresentable<String> where AllCases: Sendable {}

/// The compression of a new capsule: `--codec`.
enum CodecChoice: String, WordChoice {
    case gzip
    case zstd

    /// The levels that `--level` may name.
    var levels: ClosedRange<Int> {
        switch self {
        case .gzip: 1...12
        case .zstd: 1...19
        }
    }
}

/// When output is colored: `--color`.
enum ColorChoice: String, WordChoice {
    /// On a terminal, unless NO_COLOR is set.
    case auto
    case always
    case never
}

/// What `--force=` may be followed by.
enum ForceChoice: String, WordChoice {
    case all
}

/// The encodings that `plist convert` takes.
enum FormatChoice: String, WordChoice {
    case xml, binary, json, openstep

    /// The encoding meant.
    var format: PlistFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        case .json: .json
        case .openstep: .openStep
        }
    }
}

/// What kind of container `locate` looks for: `--kind`.
enum KindChoice: String, WordChoice {
    case data, bundle, group
}

/// Which of Xcode's sets of simulators `locate` looks into: `--set`.
enum SetChoice: String, WordChoice {
    case `default`, previews, xctest
}

/// A shell that completions are made for.
enum Shell: String, WordChoice {
    case bash
    case zsh
    case fish
}

/// What `unpack --as` makes of a container.
enum UnpackForm: String, WordChoice {
    /// The whole bundle, with all that its wrapper held.
    case xcappdata
    /// AppData's content with the identity plist, without groups.
    case container
    /// The tree alone, groups as AppGroups/ID.
    case directory
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case zip

    /// Whether the result is one file, which may go to standard output.
    var isArchive: Bool {
        switch self {
        case .xcappdata, .container, .directory: false
        case .tarGzip, .tarZstd, .zip: true
        }
    }
}
