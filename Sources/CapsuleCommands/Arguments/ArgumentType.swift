import CapsuleContainers
import CapsuleCore
import CapsulePropertyList

/// The type of an argument's values: the form that the parser checks, with the type in which commands read a value of this form.
struct ArgumentType<Value: Sendable>: Sendable {
    let form: ValueForm
    /// Returns the typed value; nil only for a value that the parser does not store for the form.
    private let read: @Sendable (ArgumentValue) -> Value?

    /// Returns the typed value of one that the parser accepted.
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
    static func integer(_ range: ClosedRange<Int>) -> Self { Self(form: .integer(range)) { $0.integer } }
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
    static var words: Self {
        Self(form: .words(Value.allCases.map(\.rawValue))) { $0.text.flatMap(Value.init(rawValue:)) }
    }
}

/// A value that the parser accepted for a flag or a positional, checked against its ``ValueForm``.
enum ArgumentValue: Sendable, Hashable {
    /// A switch was given.
    case on
    /// A file, directory, container, path or pattern: the bytes as typed, since names need not be UTF-8.
    case bytes([UInt8])
    /// A label, a note or one of a list of words.
    case text(String)
    case integer(Int)
    case seconds(Double)
    case named(NamedValue)
}

extension ArgumentValue {
    /// The bytes, if the value has that kind.
    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The text, if the value has that kind.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The number, if the value has that kind.
    var integer: Int? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }
}

/// A value of the form `NAME=VALUE`, split at its first `=`. The name is not empty.
struct NamedValue: Sendable, Hashable {
    let name: [UInt8]
    let value: [UInt8]
}

/// A closed list of words that a flag or a positional accepts. The raw values are the words as typed.
protocol WordChoice: Sendable, CaseIterable, RawRepresentable<String> where AllCases: Sendable {}

/// The compression of a new capsule: `--codec`.
enum CodecChoice: String, WordChoice {
    case gzip
    case zstd

    /// The levels that `--level` accepts.
    var levels: ClosedRange<Int> {
        switch self {
        case .gzip: 1...12
        case .zstd: 1...19
        }
    }
}

/// The use of color in output: `--color`.
enum ColorChoice: String, WordChoice {
    /// On a terminal, unless NO_COLOR is set.
    case auto
    case always
    case never
}

/// The words after `--force=`.
enum ForceChoice: String, WordChoice {
    case all

    var replacement: Replacement {
        switch self {
        case .all: .everything
        }
    }
}

/// The encodings that `plist convert` accepts.
enum FormatChoice: String, WordChoice {
    case xml, binary, json, openstep

    /// The encoding of the word.
    var format: PlistFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        case .json: .json
        case .openstep: .openStep
        }
    }
}

/// The kind of container that `locate` searches for: `--kind`.
enum KindChoice: String, WordChoice {
    case data, bundle, group
}

/// Xcode's set of simulators that `locate` searches: `--set`.
enum SetChoice: String, WordChoice {
    case `default`, previews, xctest
}

/// A shell for which completions can be generated.
enum Shell: String, WordChoice {
    case bash
    case zsh
    case fish
}

/// The form in which a container is unpacked: `unpack --as`.
enum UnpackForm: String, WordChoice {
    /// The complete bundle, with everything in its wrapper.
    case xcappdata
    /// The content of AppData with the identity plist, without groups.
    case container
    /// The tree alone, with groups as AppGroups/ID.
    case directory
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case zip

    /// True if the result is one file, which may go to standard output.
    var isArchive: Bool {
        switch self {
        case .xcappdata, .container, .directory: false
        case .tarGzip, .tarZstd, .zip: true
        }
    }
}
