package import CapsuleCore
package import CapsulePropertyList

/// A value that turns one property list, or several of a tree, into others (docs/overlay.md).
package struct Overlay: Hashable, Sendable {
    /// The form of the file that the overlay was read from. It decides how the parts are interpreted.
    package enum Form: String, Hashable, Sendable {
        /// An ordinary partial property list, merged deeply.
        case plain
        /// A JSON Merge Patch (RFC 7396).
        case mergePatch
        /// A JSON Patch (RFC 6902).
        case patch
        case document
    }

    package var form: Form
    package var name: String?
    package var note: String?
    /// The conditions of the overlay. If one of them is not met, the overlay is skipped.
    package var conditions: [Condition]
    package var arrays: [ArrayIdentities.Rule]
    package var targets: [Target]
    /// The records for whole files, directories and links: one for each path, in no meaningful order.
    package var files: [FileRecord]
    /// True if null removes a key, as in a JSON object that is read as a plain overlay.
    package var nullRemoves = false
    /// True if a string is converted to the type of the base's value, because OpenStep has no other scalars.
    package var stringsTakeBaseType = false

    package init(
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
    /// The changes to one property list, or to all that a glob matches. `remove`, `merge` and `operations` run in this order.
    package struct Target: Hashable, Sendable {
        /// A tree path or a glob; nil for the property list that the overlay is applied to.
        package var path: String?
        package var root: Root
        package var conditions: [Condition]
        /// The encoding in which a missing property list is created; nil if a missing one is an error.
        package var create: PlistFormat?
        /// The places to remove. A place that does not exist is not an error.
        package var remove: [PlistPointer]
        package var merge: PlistValue?
        package var operations: [PlistOperation]
        package var encode: PlistFormat?

        package init(
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

    /// The root that the paths of targets start from.
    package enum Root: Hashable, Sendable, CustomStringConvertible {
        /// The app's data, a container's tree.
        case appData
        /// The app itself, `NAME.app`.
        case appBundle
        case appGroup(String)

        package var description: String {
            switch self {
            case .appData: "AppData"
            case .appBundle: "AppBundle"
            case .appGroup(let identifier): "AppGroup:\(identifier)"
            }
        }

        package init?(_ text: String) {
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
package struct PlistOperation: Hashable, Sendable {
    /// The kind of an operation with its value: the six operations of RFC 6902, and four more.
    package enum Action: Hashable, Sendable {
        /// Sets a key, or inserts into an array.
        case add(PlistValue)
        /// Sets a key that is missing or already has this value, or inserts into an array. It never replaces a value.
        case insert(PlistValue)
        /// Removes a value that must exist.
        case remove
        /// Replaces a value that must exist.
        case replace(PlistValue)
        /// Removes the value at `from` and adds it at the operation's path.
        case move(from: PlistPointer)
        /// Adds the value at `from` at the operation's path as well.
        case copy(from: PlistPointer)
        /// Changes nothing, and fails unless the value at the path equals this one.
        case test(PlistValue)
        /// Merges deeply, and creates missing dictionaries.
        case merge(PlistValue)
        /// Adds the elements that an array does not have yet. A missing array and missing dictionaries are created.
        case union([PlistValue])
        /// Removes these elements from an array. A missing array stays missing.
        case subtract([PlistValue])

        package var name: String {
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

        package static let names = [
            "add", "remove", "replace", "move", "copy", "test", "insert", "merge", "union", "subtract",
        ]
    }

    package var action: Action
    package var path: PlistPointer
    package var conditions: [Condition]

    package init(_ action: Action, at path: PlistPointer, when conditions: [Condition] = []) {
        self.action = action
        self.path = path
        self.conditions = conditions
    }
}

/// A requirement on the value of a name for an overlay, a target or an operation to be applied.
package struct Condition: Hashable, Sendable {
    package enum Demand: Hashable, Sendable {
        /// The name is set, and its value is not empty, `NO`, `0` or `false`.
        case isTrue
        /// The opposite of ``isTrue``. A name that is not set counts as false.
        case isFalse
        /// The value is one of these texts. A name that is not set counts as the empty text.
        case isAny([String])
    }

    /// The name in the environment, or of a definition.
    package let name: String
    package let demand: Demand

    package init(_ name: String, _ demand: Demand) {
        self.name = name
        self.demand = demand
    }

    package init(argument: String) throws(OverlayError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let name = parts.first, !name.isEmpty else {
            throw OverlayError(
                .invalid, "the condition '\(argument)' has no name", hint: "write 'NAME=VALUE', or 'NAME' to set it to true")
        }
        try SettingName.check(name, value: parts.count == 2 ? parts[1] : nil)
        self.init(name, parts.count == 2 ? .isAny([parts[1]]) : .isTrue)
    }

    package func holds(in values: [String: String]) -> Bool {
        let value = values[name]
        switch demand {
        case .isTrue: return Self.isTrue(value)
        case .isFalse: return !Self.isTrue(value)
        case .isAny(let texts): return texts.contains(value ?? "")
        }
    }

    /// Returns the current state of the name, for a report: `CONFIGURATION is Release`.
    package func state(in values: [String: String]) -> String {
        guard let value = values[name] else { return "\(name) is not set" }
        return value.isEmpty ? "\(name) is empty" : "\(name) is \(value)"
    }

    private static func isTrue(_ value: String?) -> Bool {
        guard let value else { return false }
        return !["", "NO", "0", "false"].contains(value)
    }
}

extension Overlay {
    /// One step of a target, for a list of all its steps.
    package struct Step: Hashable, Sendable {
        package let name: String
        package let place: PlistPointer
        package let value: PlistValue?
        package let from: PlistPointer?
        package let conditions: [Condition]
    }
}

extension Overlay.Target {
    /// The maximum number of merged values that are listed one by one. A document may share a container many times.
    private static let longestMerge = 1_000

    /// All steps of the target, in order. A merge is listed value by value, down to scalars, arrays and empty dictionaries.
    package var steps: [Overlay.Step] {
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
    /// The form in words: `a JSON Merge Patch (RFC 7396)`.
    package var nameWithArticle: String {
        switch self {
        case .plain: "a partial property list"
        case .mergePatch: "a JSON Merge Patch (RFC 7396)"
        case .patch: "a JSON Patch (RFC 6902)"
        case .document: "an overlay document"
        }
    }
}

extension Condition: CustomStringConvertible {
    /// The condition in words: `CONFIGURATION is "Debug" or "Test"`, `FASTLANE_SNAPSHOT is true`.
    package var description: String {
        switch demand {
        case .isTrue: "\(name) is true"
        case .isFalse: "\(name) is false"
        case .isAny(let texts): "\(name) is \(texts.map { PlistString($0).quoted }.joined(separator: " or "))"
        }
    }
}

extension Overlay {
    /// - Parameters:
    ///   - format: the encoding that the file was read from. JSON that is not a document is a patch: an object is a JSON Merge
    ///     Patch (RFC 7396), an array a JSON Patch (RFC 6902).
    ///   - isDeep: true to read a JSON object as a plain overlay, in which null removes a key.
    package init(_ value: PlistValue, format: PlistFormat, isDeep: Bool = false) throws(OverlayError) {
        switch value {
        case .dictionary(let entries) where entries[OverlayDocumentReader.mark] != nil:
            self = try OverlayDocumentReader.read(entries, isUntyped: format == .openStep)
        case .dictionary(let entries) where OverlayDocumentReader.lacksMark(entries):
            throw OverlayError(
                .invalid, "has the keys of an overlay document, but no 'CapsuleOverlay'",
                hint: "add 'CapsuleOverlay' with the value 1")
        case .dictionary where format == .json && !isDeep:
            self.init(form: .mergePatch, targets: [Target(merge: value)])
        case .dictionary:
            self.init(form: .plain, targets: [Target(merge: value)])
            nullRemoves = format == .json
            stringsTakeBaseType = format == .openStep
        case .array(let elements) where format == .json:
            self.init(form: .patch, targets: [Target(operations: try Self.patch(elements))])
        default:
            throw OverlayError(
                .invalid, "an overlay must be a dictionary, not \(value.typeNameWithArticle)",
                hint: "write an array of operations as JSON, or under 'Operations' in a document")
        }
    }
}
