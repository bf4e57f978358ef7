public import CapsulePropertyList

/// What turns one property list, or several of a tree, into others (docs/overlay.md).
public struct Overlay: Hashable, Sendable {
    /// In what form it was written, which decides how its parts are meant.
    public enum Form: String, Hashable, Sendable {
        /// An ordinary partial property list, merged deep.
        case plain
        /// A JSON Merge Patch (RFC 7396).
        case mergePatch
        /// A JSON Patch (RFC 6902).
        case patch
        /// A dictionary with `CapsuleOverlay`.
        case document
    }

    /// How it was written.
    public var form: Form
    /// What it is called in reports.
    public var name: String?
    /// What its author says of it.
    public var note: String?
    /// All must hold, else the overlay is passed over.
    public var conditions: [Condition]
    /// How arrays merge, before the built-in table is asked.
    public var arrays: [ArrayIdentities.Rule]
    /// In order.
    public var targets: [Target]
    /// What becomes of whole files, directories and links; by path, each once, in no order that means anything.
    public var files: [FileRecord]
    /// Whether null takes a key away: a JSON object that is read as a plain overlay.
    public var nullRemoves = false
    /// Whether a string stands for a value of the base's type: OpenStep has no other scalars.
    public var stringsTakeBaseType = false

    /// An overlay of these parts.
    public init(
        form: Form = .document, name: String? = nil, note: String? = nil, conditions: [Condition] = [],
        arrays: [ArrayIdentities.Rule] = [], targets: [Target], files: [FileRecord] = []
    ) {
        self.form = form
        self.name = name
        self.note = note
        self.conditions = conditions
        self.arrays = arrays
        self.targets = targets
        self.files = files
    }
}

extension Overlay {
    /// One property list, or all that a glob names, and what is done to it. `remove`, `merge` and `operations` run in this order.
    public struct Target: Hashable, Sendable {
        /// A tree path or glob; nil for the property list that the overlay is applied to.
        public var path: String?
        /// Where ``path`` begins.
        public var root: Root
        /// All of them must hold, or the target is passed over.
        public var conditions: [Condition]
        /// In which encoding a missing property list is made; nil where that is an error.
        public var create: PlistFormat?
        /// What must not be there afterwards; what is missing already is fine.
        public var remove: [PlistPointer]
        /// A partial property list.
        public var merge: PlistValue?
        /// Single steps, in order.
        public var operations: [PlistOperation]
        /// The encoding of the result; nil for that of the base.
        public var encode: PlistFormat?

        /// A target that does nothing but what it is given.
        public init(
            path: String? = nil, root: Root = .appData, conditions: [Condition] = [], create: PlistFormat? = nil,
            remove: [PlistPointer] = [], merge: PlistValue? = nil, operations: [PlistOperation] = [], encode: PlistFormat? = nil
        ) {
            self.path = path
            self.root = root
            self.conditions = conditions
            self.create = create
            self.remove = remove
            self.merge = merge
            self.operations = operations
            self.encode = encode
        }
    }

    /// Where the paths of targets begin.
    public enum Root: Hashable, Sendable, CustomStringConvertible {
        /// The app's data, a container's tree.
        case appData
        /// The app itself, `NAME.app`.
        case appBundle
        /// The container of the app group with this identifier.
        case appGroup(String)

        /// `AppData`, `AppBundle` or `AppGroup:ID`.
        public var description: String {
            switch self {
            case .appData: "AppData"
            case .appBundle: "AppBundle"
            case .appGroup(let identifier): "AppGroup:\(identifier)"
            }
        }

        /// Reads what ``description`` says; nil for anything else.
        public init?(_ text: String) {
            switch text {
            case "AppData": self = .appData
            case "AppBundle": self = .appBundle
            default:
                guard text.hasPrefix("AppGroup:"), text.count > "AppGroup:".count else { return nil }
                self = .appGroup(String(text.dropFirst("AppGroup:".count)))
            }
        }
    }
}

/// One step of an overlay on a property list.
public struct PlistOperation: Hashable, Sendable {
    /// What is done: RFC 6902's six, and four more.
    public enum Action: Hashable, Sendable {
        /// Sets a key, or inserts into an array.
        case add(PlistValue)
        /// Sets a key that has no other value, or inserts into an array: what it puts there replaces nothing.
        case insert(PlistValue)
        /// Takes out what has to be there.
        case remove
        /// Puts a value in place of one that has to be there.
        case replace(PlistValue)
        /// Takes out a value there and adds it here.
        case move(from: PlistPointer)
        /// Adds the value that is there here as well.
        case copy(from: PlistPointer)
        /// Changes nothing, and fails unless just this value is there.
        case test(PlistValue)
        /// Merges deep; makes dictionaries that are missing.
        case merge(PlistValue)
        /// Adds to an array what is not yet in it; makes dictionaries and the array if they are missing.
        case union([PlistValue])
        /// Takes out of an array what is in it; of nothing, nothing.
        case subtract([PlistValue])

        /// The operation's name in documents.
        public var name: String {
            switch self {
            case .add: "add"
            case .insert: "insert"
            case .remove: "remove"
            case .replace: "replace"
            case .move: "move"
            case .copy: "copy"
            case .test: "test"
            case .merge: "merge"
            case .union: "union"
            case .subtract: "subtract"
            }
        }

        /// All names, for messages.
        public static let names = [
            "add", "remove", "replace", "move", "copy", "test", "insert", "merge", "union", "subtract",
        ]
    }

    /// What is done.
    public var action: Action
    /// Where.
    public var path: PlistPointer
    /// All must hold, else the operation is passed over.
    public var conditions: [Condition]

    /// An operation at a place.
    public init(_ action: Action, at path: PlistPointer, when conditions: [Condition] = []) {
        self.action = action
        self.path = path
        self.conditions = conditions
    }
}

/// What must hold for an overlay, a target or an operation to be applied: a name of the environment and what its value is.
public struct Condition: Hashable, Sendable {
    /// What the value has to be.
    public enum Demand: Hashable, Sendable {
        /// Set, and none of the empty text, `NO`, `0` and `false`.
        case isTrue
        /// The opposite; unset counts as false.
        case isFalse
        /// One of these texts; unset counts as the empty one.
        case isAny([String])
    }

    /// The name of the environment, or of a definition.
    public let name: String
    /// What its value has to be.
    public let demand: Demand

    /// A condition on a name.
    public init(_ name: String, _ demand: Demand) {
        self.name = name
        self.demand = demand
    }

    /// Reads `NAME=VALUE` or `NAME`.
    ///
    /// - Throws: `invalid` for what ``SettingName`` refuses.
    public init(argument: String) throws(OverlayError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let name = parts.first, !name.isEmpty else {
            throw OverlayError(
                .invalid, "the condition '\(argument)' has no name", hint: "write 'NAME=VALUE', or 'NAME' to set it to true")
        }
        try SettingName.check(name, value: parts.count == 2 ? parts[1] : nil)
        self.init(name, parts.count == 2 ? .isAny([parts[1]]) : .isTrue)
    }

    /// Whether it holds.
    ///
    /// - Parameter values: the names that are set.
    public func holds(in values: [String: String]) -> Bool {
        let value = values[name]
        switch demand {
        case .isTrue: return Self.isTrue(value)
        case .isFalse: return !Self.isTrue(value)
        case .isAny(let texts): return texts.contains(value ?? "")
        }
    }

    /// What is so, for a report: `CONFIGURATION is Release`.
    public func state(in values: [String: String]) -> String {
        guard let value = values[name] else { return "\(name) is not set" }
        return value.isEmpty ? "\(name) is empty" : "\(name) is \(value)"
    }

    private static func isTrue(_ value: String?) -> Bool {
        guard let value else { return false }
        return !["", "NO", "0", "false"].contains(value)
    }
}

extension Overlay {
    /// One thing that a target does, for a list of all that it does.
    public struct Step: Hashable, Sendable {
        /// `merge`, `remove`, the operation's name.
        public let name: String
        /// Where.
        public let place: PlistPointer
        /// What is put there, tested, added; nil where that is nothing.
        public let value: PlistValue?
        /// Where it comes from, of `move` and `copy`.
        public let from: PlistPointer?
        /// Conditions of the operation itself.
        public let conditions: [Condition]
    }
}

extension Overlay.Target {
    /// Merged values that are listed one by one; a document may share a container many times.
    private static let longestMerge = 1_000

    /// All that it does, in order: a merge is told value by value, down to scalars, arrays and empty dictionaries.
    public var steps: [Overlay.Step] {
        var steps = remove.map { Overlay.Step(name: "remove", place: $0, value: nil, from: nil, conditions: []) }
        if let merge {
            var count = Self.longestMerge
            Self.append(merge, at: .root, to: &steps, &count)
        }
        return steps + operations.map(\.step)
    }

    private static func append(
        _ value: PlistValue, at place: PlistPointer, to steps: inout [Overlay.Step], _ count: inout Int
    ) {
        guard count > 0, let dictionary = value.dictionary, !dictionary.isEmpty else {
            count -= 1
            steps.append(Overlay.Step(name: "merge", place: place, value: value, from: nil, conditions: []))
            return
        }
        for (key, value) in dictionary { append(value, at: place.appending(key), to: &steps, &count) }
    }
}

extension PlistOperation {
    fileprivate var step: Overlay.Step {
        var value: PlistValue?
        var from: PlistPointer?
        switch action {
        case .add(let new), .insert(let new), .replace(let new), .test(let new), .merge(let new): value = new
        case .union(let elements), .subtract(let elements): value = .array(elements)
        case .move(let place), .copy(let place): from = place
        case .remove: break
        }
        return Overlay.Step(name: action.name, place: path, value: value, from: from, conditions: conditions)
    }
}

extension Overlay.Form {
    /// What it is called: `a JSON Merge Patch (RFC 7396)`.
    public var nameWithArticle: String {
        switch self {
        case .plain: "a partial property list"
        case .mergePatch: "a JSON Merge Patch (RFC 7396)"
        case .patch: "a JSON Patch (RFC 6902)"
        case .document: "a document"
        }
    }
}

extension Condition: CustomStringConvertible {
    /// `CONFIGURATION is "Debug" or "Test"`, `FASTLANE_SNAPSHOT is true`.
    public var description: String {
        switch demand {
        case .isTrue: "\(name) is true"
        case .isFalse: "\(name) is false"
        case .isAny(let texts): "\(name) is \(texts.map { PlistString($0).quoted }.joined(separator: " or "))"
        }
    }
}
