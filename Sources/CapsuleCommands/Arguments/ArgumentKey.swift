import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// The typed name of an argument: `command[.force]` is a Bool, `command[.exclude]` a list of byte strings.
///
/// Each flag and positional has one key, shared by all verbs that have it. A test checks that every key can read each value that the table
/// lets the parser store.
struct ArgumentKey<Value: Sendable>: Sendable {
    /// The flag or positional that the key reads.
    let id: ArgumentID
    /// Converts all values that the parser accepted for the argument, in the order given, to the key's type.
    let read: @Sendable ([ArgumentValue]) -> Value

    init(_ id: ArgumentID, read: @escaping @Sendable ([ArgumentValue]) -> Value) {
        self.id = id
        self.read = read
    }
}

extension ArgumentKey where Value == Bool {
    /// A switch.
    init(_ id: Flag.ID) { self.init(.flag(id)) { !$0.isEmpty } }
}

extension ArgumentKey where Value == [UInt8]? {
    /// At most one value of raw bytes.
    init(_ id: ArgumentID) { self.init(id) { $0.last?.bytes } }
}

extension ArgumentKey where Value == [[UInt8]] {
    /// Any number of values of raw bytes.
    init(_ id: ArgumentID) { self.init(id) { $0.compactMap(\.bytes) } }
}

extension ArgumentKey where Value == [UInt8] {
    /// A positional that the parser requires, so the empty default is never used.
    init(_ id: Positional.ID) { self.init(.positional(id)) { $0.last?.bytes ?? [] } }
}

extension ArgumentKey where Value == String {
    /// A positional that the parser requires, so the empty default never means a missing one.
    init(_ id: Positional.ID) { self.init(.positional(id)) { $0.last?.text ?? "" } }
}

extension ArgumentKey where Value == String? {
    /// At most one value of text.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.last?.text } }
}

extension ArgumentKey where Value == [String] {
    /// Any number of texts.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.compactMap(\.text) } }
}

extension ArgumentKey where Value == Int? {
    /// At most one number.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.last?.integer } }
}

extension ArgumentKey where Value == Double {
    /// Seconds, with a default.
    init(_ id: Flag.ID, default standard: Double) { self.init(.flag(id)) { $0.last?.seconds ?? standard } }
}

extension ArgumentKey where Value == [NamedValue] {
    /// Any number of `NAME=VALUE`.
    init(_ id: Flag.ID) {
        self.init(.flag(id)) { values in
            values.compactMap { value in
                guard case .named(let named) = value else { return nil }
                return named
            }
        }
    }
}

extension ArgumentKey where Value: WordChoice {
    /// One of a list of words, with a default.
    init(_ id: ArgumentID, default standard: Value) {
        self.init(id) { $0.last?.text.flatMap(Value.init(rawValue:)) ?? standard }
    }
}

extension ArgumentKey {
    /// At most one of a list of words.
    init<Choice: WordChoice>(_ id: Flag.ID) where Value == Choice? {
        self.init(.flag(id)) { $0.last?.text.flatMap(Choice.init(rawValue:)) }
    }
}

/// Identifies an argument: a flag or a positional.
enum ArgumentID: Sendable, Hashable {
    case flag(Flag.ID)
    case positional(Positional.ID)
}

// All keys, by the type of their values. `nil`, `false` and an empty list mean "not given".

extension ArgumentKey where Value == Bool {
    /// `--all`
    static var all: Self { Self(.all) }
    /// `--show-secrets`
    static var showSecrets: Self { Self(.showSecrets) }
    /// `--stat`
    static var stat: Self { Self(.stat) }
    /// `--times`
    static var times: Self { Self(.times) }
    /// `--allow-changing`
    static var allowChanging: Self { Self(.allowChanging) }
    /// `--allow-unmatched`
    static var allowUnmatched: Self { Self(.allowUnmatched) }
    /// `--clean`
    static var clean: Self { Self(.clean) }
    /// `--strict-patterns`
    static var strictPatterns: Self { Self(.strictPatterns) }
    /// `--require`
    static var require: Self { Self(.require) }
    /// `--append`
    static var append: Self { Self(.append) }
    /// `--check`
    static var check: Self { Self(.check) }
    /// `--rebase-paths`
    static var rebasePaths: Self { Self(.rebasePaths) }
    /// `--simctl`
    static var simctl: Self { Self(.simctl) }
    /// `--markers`
    static var marks: Self { Self(.marks) }
    /// `--partial`
    static var partial: Self { Self(.partial) }
    /// `--three-way`
    static var threeWay: Self { Self(.threeWay) }
    /// `--create-parents`
    static var createParents: Self { Self(.createParents) }
    /// `--deep`
    static var deep: Self { Self(.deep) }
    /// `--dry-run`
    static var dryRun: Self { Self(.dryRun) }
    /// `--exit-zero`
    static var exitZero: Self { Self(.exitZero) }
    /// `--fold-wal`
    static var foldWAL: Self { Self(.foldWAL) }
    /// `--full`
    static var full: Self { Self(.full) }
    /// `--lenient`
    static var lenient: Self { Self(.lenient) }
    /// `--lossy`
    static var lossy: Self { Self(.lossy) }
    /// `--name-status`
    static var nameStatus: Self { Self(.nameStatus) }
    /// `-z`, `--null`
    static var null: Self { Self(.null) }
    /// `--overlays`
    static var applyOverlays: Self { Self(.overlays) }
    /// `--plain`
    static var plain: Self { Self(.plain) }
    /// `--by-value`
    static var byValue: Self { Self(.byValue) }
    /// `--by-section`
    static var bySection: Self { Self(.bySection) }
    /// `--carry-whole`
    static var carryWhole: Self { Self(.carryWhole) }
    /// `--one-way`
    static var oneWay: Self { Self(.oneWay) }
    /// `--unarchive`
    static var unarchive: Self { Self(.unarchive) }
    /// `--different-app`
    static var differentApp: Self { Self(.differentApp) }
    /// `--expand`
    static var expand: Self { Self(.expand) }
    /// `--global` of `git`
    static var globalScope: Self { Self(.globalScope) }
    /// `--local` of `git`
    static var localScope: Self { Self(.localScope) }
    /// `-f`, `--force`
    static var force: Self { Self(.force) }
    /// `--json`
    static var json: Self { Self(.json) }
    /// `-l`, `--long`
    static var longListing: Self { Self(.longListing) }
    /// `--no-cache`
    static var noCache: Self { Self(.noCache) }
    /// `--open`
    static var open: Self { Self(.open) }
    /// `--plist`
    static var plist: Self { Self(.plist) }
    /// `-q`, `--quiet`
    static var quiet: Self { Self(.quiet) }
    /// `--skip-unreadable`
    static var skipUnreadable: Self { Self(.skipUnreadable) }
    /// `--strict`
    static var strict: Self { Self(.strict) }
    /// `-v`, `--verbose`
    static var verbose: Self { Self(.verbose) }
}

extension ArgumentKey where Value == [UInt8] {
    /// CONTAINER
    static var container: Self { Self(.container) }
    /// FILE of `verify`, `log`, `repair`, `compact` and `git textconv`
    static var file: Self { Self(.file) }
    /// FILE of `overlay`
    static var overlay: Self { Self(.overlay) }
    /// A of `diff`
    static var old: Self { Self(.old) }
    /// BASE of `merge`
    static var base: Self { Self(.base) }
    /// OURS of `merge`
    static var ours: Self { Self(.ours) }
    /// THEIRS of `merge`
    static var theirs: Self { Self(.theirs) }
    /// FILE of `plist`
    static var plistFile: Self { Self(.plistFile) }
    /// BASE of `git merge-driver`
    static var driverBase: Self { Self(.driverBase) }
    /// OURS of `git merge-driver`
    static var driverOurs: Self { Self(.driverOurs) }
    /// THEIRS of `git merge-driver`
    static var driverTheirs: Self { Self(.driverTheirs) }
    /// SIZE of `git merge-driver`
    static var markSize: Self { Self(.markSize) }
    /// PATH of `git merge-driver`
    static var driverPath: Self { Self(.driverPath) }
    /// TARGET of `apply`, `undo`, `drop`, `restore` and `recover`
    static var target: Self { Self(.target) }
}

extension ArgumentKey where Value == [UInt8]? {
    /// PATH of `cat`; nil if CONTAINER already contains it
    static var path: Self { Self(.positional(.path)) }
    /// B of `diff`
    static var new: Self { Self(.positional(.new)) }
    /// `--app`
    static var app: Self { Self(.flag(.app)) }
    /// `-C`, `--directory`
    static var directory: Self { Self(.flag(.directory)) }
    /// `--devices`
    static var devices: Self { Self(.flag(.devices)) }
    /// DIR of `generate man`
    static var manDirectory: Self { Self(.positional(.manDirectory)) }
    /// `-o`, `--output`; `-` is standard output
    static var output: Self { Self(.flag(.output)) }
    /// `--overlay` of `diff`; `-` is standard output
    static var overlayFile: Self { Self(.flag(.overlayFile)) }
    /// `--expect`
    static var expect: Self { Self(.flag(.expect)) }
    /// `--expect-update`
    static var expectUpdate: Self { Self(.flag(.expectUpdate)) }
    /// `--expect-write`; `-` is standard output
    static var expectWrite: Self { Self(.flag(.expectWrite)) }
    /// `--html`; `-` is standard output
    static var html: Self { Self(.flag(.html)) }
    /// `--junit`; `-` is standard output
    static var junit: Self { Self(.flag(.junit)) }
    /// `--learn`; `-` is standard output
    static var learn: Self { Self(.flag(.learn)) }
    /// `--conflicts`; `-` is standard output
    static var conflicts: Self { Self(.flag(.conflicts)) }
    /// `--resolve`; `-` is standard input
    static var resolve: Self { Self(.flag(.resolve)) }
    /// `--rules`
    static var rules: Self { Self(.flag(.rules)) }
    /// `--undo`
    static var undo: Self { Self(.flag(.undo)) }
}

extension ArgumentKey where Value == [[UInt8]] {
    /// `--exclude`, all of them
    static var exclude: Self { Self(.flag(.exclude)) }
    /// `--keep` of `restore`, all of them
    static var keptPaths: Self { Self(.flag(.keptPath)) }
    /// OVERLAY... of `apply`, FILE of `undo`
    static var overlays: Self { Self(.positional(.overlays)) }
    /// PATH... of `ls` and `unpack`
    static var paths: Self { Self(.positional(.paths)) }
    /// COMMAND... of `run`
    static var program: Self { Self(.positional(.command)) }
    /// FILE... of `plist lint`
    static var plistFiles: Self { Self(.positional(.plistFiles)) }
}

extension ArgumentKey where Value == [NamedValue] {
    /// `--define NAME=VALUE`, all of them
    static var definitions: Self { Self(.define) }
    /// `--overlay PATH=FILE` of `pack`, all of them
    static var packedOverlays: Self { Self(.packedOverlay) }
    /// `--group ID=DIR`, all of them
    static var groups: Self { Self(.group) }
}

extension ArgumentKey where Value == String? {
    /// `--device`
    static var device: Self { Self(.device) }
    /// BUNDLE-ID of `locate`
    static var identifier: Self { Self(.positional(.identifier)) { $0.last?.text } }
    /// `--drop`, classes separated by commas
    static var drop: Self { Self(.drop) }
    /// `--label`
    static var label: Self { Self(.label) }
    /// `--note`
    static var note: Self { Self(.note) }
    /// `--target`
    static var targetPath: Self { Self(.target) }
    /// `--bool`, YES or NO in one of several spellings
    static var bool: Self { Self(.bool) }
    /// `--data`, in base64
    static var data: Self { Self(.data) }
    /// `--date`, in ISO 8601
    static var date: Self { Self(.date) }
    /// `--from-json`
    static var fromJSON: Self { Self(.fromJSON) }
    /// `--integer`, decimal or hexadecimal
    static var integer: Self { Self(.integer) }
    /// `--real`
    static var real: Self { Self(.real) }
    /// `--string`
    static var string: Self { Self(.string) }
}

extension ArgumentKey where Value == [VersionSelector]? {
    /// `--keep`; without it, all versions are kept
    static var keep: Self {
        Self(.flag(.keep)) { $0.last?.text.flatMap { VersionSelector.list($0) } }
    }
}

extension ArgumentKey where Value == [String] {
    /// CLASS... of `drop`
    static var noise: Self { Self(.positional(.noise)) { $0.compactMap(\.text) } }
    /// `--arrays`, all of them
    static var arrays: Self { Self(.arrays) }
    /// `--prefer`, all of them
    static var prefer: Self { Self(.prefer) }
    /// `--when`, all of them
    static var when: Self { Self(.when) }
}

extension ArgumentKey where Value == Int? {
    /// `--context`; the default is 3
    static var context: Self { Self(.context) }
    /// `--lines`
    static var lines: Self { Self(.lines) }
    /// `--rows`
    static var rows: Self { Self(.rows) }
    /// `-j`, `--jobs`; without it, CAPSULE_JOBS, or else the number of cores
    static var jobs: Self { Self(.jobs) }
    /// `--level`, within the range of the codec
    static var level: Self { Self(.level) }
}

extension ArgumentKey where Value == Double {
    /// `--lock-timeout`, in seconds
    static var lockTimeout: Self { Self(.lockTimeout, default: 10) }
}

extension ArgumentKey where Value == Replacement {
    /// `-f`, `--force` and `--force=all`
    static var replacement: Self {
        Self(.flag(.force)) { values in
            guard let last = values.last else { return .nothing }
            return last.text.flatMap(ForceChoice.init(rawValue:)) == .all ? .everything : .ordinary
        }
    }
}

extension ArgumentKey where Value == ColorChoice {
    /// `--color`
    static var color: Self { Self(.flag(.color), default: .auto) }
}

extension ArgumentKey where Value == CodecChoice? {
    /// `--codec`; the default is gzip
    static var codec: Self { Self(.codec) }
}

extension ArgumentKey where Value == UnpackForm? {
    /// `--as`; the default is the layout's own form
    static var unpackForm: Self { Self(.unpackForm) }
}

extension ArgumentKey where Value == KindChoice? {
    /// `--kind`
    static var kind: Self { Self(.kind) }
}

extension ArgumentKey where Value == SetChoice {
    /// `--set`
    static var set: Self { Self(.flag(.set), default: .default) }
}

extension ArgumentKey where Value == Shell {
    /// bash, zsh or fish, of `generate completions`
    static var shell: Self { Self(.positional(.shell), default: .bash) }
}

extension ArgumentKey where Value == String {
    /// POINTER of `plist`; without it, the root
    static var pointer: Self { Self(.pointer) }
}

extension ArgumentKey where Value == FormatChoice {
    /// The encoding, of `plist convert`
    static var format: Self { Self(.positional(.format), default: .xml) }
}
