package import CapsuleContainers
import CapsuleCore
package import CapsulePropertyList

/// The values that a flag or a positional accepts. The parser checks them, messages describe them, and completions use them.
package enum ValueForm: Sendable, Hashable {
    /// A container in any form; `-` is standard input if the verb supports it.
    case container(FileUse)
    case file(FileUse)
    /// A property list, which can also be in a container: `CONTAINER:PATH`.
    case propertyList(FileUse)
    case directory(FileUse)
    case path
    case glob
    /// UTF-8 that a property list can hold.
    case text
    /// A JSON Pointer, or another path in the property list that the call names.
    case pointer
    /// Classes of noise, separated by commas.
    case noise
    case device
    case bundleID
    case label
    /// A comma-separated list of versions, as in `FILE@VERSION`.
    case versions
    case integer(ClosedRange<Int>)
    /// A number of seconds, with decimals, from 0 to this maximum.
    case seconds(Int)
    case words([String])
    /// `NAME=DIRECTORY`.
    case namedDirectory(FileUse)
    /// `[ROOT:]PATH=FILE`.
    case namedFile(FileUse)
    /// `NAME=VALUE`; the value may be empty.
    case definition
    case topic
    case program

    /// The use of the file or directory that the value names; nil if it names none. Setting it has no effect then.
    package var use: FileUse? {
        get {
            switch self {
            case .container(let use), .file(let use), .propertyList(let use), .directory(let use), .namedDirectory(let use),
                .namedFile(let use):
                use
            case .path, .glob, .text, .pointer, .noise, .device, .bundleID, .label, .versions, .integer, .seconds, .words,
                .definition, .topic, .program:
                nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .container: self = .container(newValue)
            case .file: self = .file(newValue)
            case .propertyList: self = .propertyList(newValue)
            case .directory: self = .directory(newValue)
            case .namedDirectory: self = .namedDirectory(newValue)
            case .namedFile: self = .namedFile(newValue)
            case .path, .glob, .text, .pointer, .noise, .device, .bundleID, .label, .versions, .integer, .seconds, .words,
                .definition, .topic, .program:
                break
            }
        }
    }
}

/// The use of a file or directory that an argument names. Each such argument declares it, and all checks that protect files are based on
/// it.
package enum FileUse: Sendable, Hashable {
    case input
    case target
    /// The name of an output. It is created, or replaces an existing file or directory. With a kind, the existing one is checked
    /// before anything is read. Without one, the command itself determines the kind. With the flag `inPlaceWith`, it is a target
    /// instead.
    case output(OutputKind?, inPlaceWith: ArgumentID? = nil)
    /// A directory in which files or directories are created under names of their own.
    case results

    /// True if the argument names what is created.
    package var isCreated: Bool {
        switch self {
        case .input, .target: false
        case .output, .results: true
        }
    }
}

extension ValueForm {
    /// Parses `bytes`; returns nil if they do not have this form. ``expectation`` describes the form. A topic is not looked up
    /// here: only the parser knows the table, and can suggest the nearest topics.
    func value(of bytes: [UInt8]) -> ArgumentValue? {
        switch self {
        case .container, .file, .propertyList, .directory, .path, .glob, .topic:
            return bytes.isEmpty ? nil : .bytes(bytes)
        case .program:
            return .bytes(bytes)
        case .text, .pointer, .noise, .device, .bundleID:
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

    /// The allowed values, for messages: `a whole number from 1 to 256`.
    var expectation: String {
        switch self {
        case .container: "a container"
        case .file, .propertyList: "a file name"
        case .directory: "a directory"
        case .path: "a path in the container"
        case .glob: "a non-empty pattern"
        case .text, .pointer, .noise, .device, .bundleID: "UTF-8 text without control characters"
        case .label: "letters, digits, '.', '_' and '-', at least one of them not a digit; 'latest' and 'first' are reserved"
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

    /// Parses a number of digits only: no sign, no space, no overflow.
    private static func integer(_ bytes: [UInt8], in range: ClosedRange<Int>) -> Int? {
        guard bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard let number = Int(String(decoding: bytes, as: UTF8.self)), range.contains(number) else { return nil }
        return number
    }

    /// Parses digits with at most one decimal point between them: no sign, no exponent.
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

    /// Returns true for a valid label: `[A-Za-z0-9._-]+`, except text that has another meaning in `FILE@VERSION`.
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

    /// Returns the text if it is UTF-8 with only characters that XML 1.0 allows, since a manifest is an XML property list.
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

/// The type of an argument's values: the form that the parser checks, with the type in which commands read a value of this form.
package struct ArgumentType<Value: Sendable>: Sendable {
    let form: ValueForm
    /// Returns the typed value; nil only for a value that the parser does not store for the form.
    private let read: @Sendable (ArgumentValue) -> Value?

    func value(_ accepted: ArgumentValue) -> Value {
        guard let value = read(accepted) else { preconditionFailure("the parser stored a value that is not of its form") }
        return value
    }
}

extension ArgumentType<[UInt8]> {
    static func container(_ use: FileUse) -> Self { Self(bytes: .container(use)) }
    static func file(_ use: FileUse) -> Self { Self(bytes: .file(use)) }
    static func propertyList(_ use: FileUse) -> Self { Self(bytes: .propertyList(use)) }
    static func directory(_ use: FileUse) -> Self { Self(bytes: .directory(use)) }
    static var path: Self { Self(bytes: .path) }
    static var glob: Self { Self(bytes: .glob) }
    static var topic: Self { Self(bytes: .topic) }
    static var program: Self { Self(bytes: .program) }

    private init(bytes form: ValueForm) {
        self.init(form: form) { $0.bytes }
    }
}

extension ArgumentType<String> {
    static var text: Self { Self(text: .text) }
    static var pointer: Self { Self(text: .pointer) }
    static var noise: Self { Self(text: .noise) }
    static var device: Self { Self(text: .device) }
    static var bundleID: Self { Self(text: .bundleID) }
    static var label: Self { Self(text: .label) }
    private init(text form: ValueForm) { self.init(form: form) { $0.text } }
}

extension ArgumentType<[VersionSelector]> {
    static var versions: Self { Self(form: .versions) { $0.text.flatMap { VersionSelector.list($0) } } }
}

extension ArgumentType<Int> {
    package static func integer(_ range: ClosedRange<Int>) -> Self { Self(form: .integer(range)) { $0.integer } }
}

extension ArgumentType<Double> {
    static func seconds(atMost most: Int) -> Self {
        Self(form: .seconds(most)) { value in if case .seconds(let seconds) = value { seconds } else { nil } }
    }
}

extension ArgumentType<NamedValue> {
    static func namedDirectory(_ use: FileUse) -> Self { Self(named: .namedDirectory(use)) }
    static func namedFile(_ use: FileUse) -> Self { Self(named: .namedFile(use)) }
    static var definition: Self { Self(named: .definition) }

    private init(named form: ValueForm) {
        self.init(form: form) { value in if case .named(let named) = value { named } else { nil } }
    }
}

extension ArgumentType where Value: WordChoice {
    /// One of the words of the type, in its order.
    static var words: Self { Self(form: .words(Value.allCases.map(\.rawValue))) { $0.text.flatMap(Value.init(rawValue:)) } }
}

/// A value that the parser accepted for a flag or a positional, checked against its ``ValueForm``.
package enum ArgumentValue: Sendable, Hashable {
    case on
    /// A file, directory, container, path or pattern: the bytes as typed, since names need not be UTF-8.
    case bytes([UInt8])
    /// A label, a note or one of a list of words.
    case text(String)
    case integer(Int)
    case seconds(Double)
    case named(NamedValue)

    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var integer: Int? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }
}

/// A value of the form `NAME=VALUE`, split at its first `=`. The name is not empty.
package struct NamedValue: Sendable, Hashable {
    package let name: [UInt8]
    package let value: [UInt8]
}

/// A closed list of words that a flag or a positional accepts. The raw values are the words as typed.
package protocol WordChoice: Sendable, CaseIterable, RawRepresentable<String> where AllCases: Sendable {}

/// The compression of a new capsule: `--codec`.
package enum CodecChoice: String, WordChoice {
    case gzip
    case zstd

    var levels: ClosedRange<Int> {
        switch self {
        case .gzip: 1...12
        case .zstd: 1...19
        }
    }
}

/// The use of color in output: `--color`.
package enum ColorChoice: String, WordChoice {
    /// On a terminal, unless NO_COLOR is set.
    case auto
    case always
    case never
}

/// The encodings that `plist convert` accepts.
package enum FormatChoice: String, WordChoice {
    case xml, binary, json, openstep

    package var format: PlistFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        case .json: .json
        case .openstep: .openStep
        }
    }
}

/// The kind of container that `locate` searches for: `--kind`.
package enum KindChoice: String, WordChoice {
    case data, bundle, group
}

/// The property by which `du` measures: `--by`.
package enum UsageChoice: String, WordChoice {
    case directory, file, kind, `class`, version
}

/// Xcode's set of simulators that `locate` searches: `--set`.
package enum SetChoice: String, WordChoice {
    case `default`, previews, xctest
}

/// A shell for which completions can be generated.
package enum Shell: String, WordChoice {
    case bash
    case zsh
    case fish
}

/// The form in which a container is unpacked: `unpack --as`.
package enum UnpackForm: String, WordChoice {
    /// The complete bundle, with everything in its wrapper.
    case xcappdata
    /// The content of AppData with the identity plist, without groups.
    case container
    /// The tree alone, with groups as AppGroups/ID.
    case directory
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case tar
    case zip

    private static let endings: [(text: String, form: UnpackForm)] = [
        (".xcappdata", .xcappdata), (".tar.gz", .tarGzip), (".tgz", .tarGzip), (".tar.zst", .tarZstd), (".tar", .tar),
        (".zip", .zip),
    ]

    /// Returns the form that a file's name asks for by its ending, in upper or lower case, before `.age` if it ends in that; nil if it asks
    /// for none.
    package init?(endOf name: [UInt8]) {
        let plain = EncryptedFile.isNamed(name) ? name.dropLast(EncryptedFile.ending.count) : name[...]
        let name = String(decoding: plain, as: UTF8.self).lowercased()
        guard let ending = Self.endings.first(where: { name.hasSuffix($0.text) }) else { return nil }
        self = ending.form
    }

    /// True if the result is one file, which may go to standard output.
    var isArchive: Bool {
        switch self {
        case .xcappdata, .container, .directory: false
        case .tarGzip, .tarZstd, .tar, .zip: true
        }
    }
}
