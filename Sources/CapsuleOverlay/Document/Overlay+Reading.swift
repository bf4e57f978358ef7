import CapsuleCore
import CapsulePropertyList

extension Overlay {
    /// Reads the operations of a JSON Patch. Unknown members are ignored (RFC 6902, section 4).
    static func patch(_ elements: [PlistValue]) throws(OverlayError) -> [PlistOperation] {
        var operations: [PlistOperation] = []
        for (number, element) in elements.enumerated() {
            let place = PlistPointer.root.appending(index: number)
            guard let entries = element.dictionary else {
                throw OverlayError(.invalid, "an operation must be an object, not \(element.typeNameWithArticle)", in: place)
            }
            let operation = try OverlayDocumentReader.operation(DocumentPart(entries, at: place), conditions: [])
            switch operation.action {
            case .insert, .merge, .union, .subtract:
                throw OverlayError(
                    .invalid, "JSON Patch has no operation '\(operation.action.name)'", in: place.appending("op"),
                    hint: "use it in an overlay document: {\"CapsuleOverlay\": 1, \"Operations\": […]}")
            default:
                operations.append(operation)
            }
        }
        return operations
    }
}

/// Reads an overlay document strictly: an unknown key, operation or type is an error with its place.
struct OverlayDocumentReader {
    static let version: PlistInteger = 1
    static let mark: PlistString = "CapsuleOverlay"

    private static let documentKeys = ["CapsuleOverlay", "Name", "Note", "When", "Arrays", "Targets", "Files"]
    private static let targetKeys = ["Path", "Root", "When", "Create", "Remove", "Merge", "Operations", "Encode"]
    /// The keys that make a document its own only target. Its conditions belong to the whole document.
    private static let ownKeys = targetKeys.filter { $0 != "When" }
    private static let operationKeys = ["op", "path", "value", "from", "when"]

    /// Returns true for a dictionary that has the keys of a document with one target, and no other.
    static func lacksMark(_ entries: PlistDictionary) -> Bool {
        entries[mark] == nil && entries["Path"]?.string != nil
            && ["Merge", "Remove", "Operations"].contains { entries[$0] != nil }
            && entries.keys.allSatisfy { (documentKeys + targetKeys).contains($0.string) }
    }

    /// - Parameter isUntyped: true if strings represent all scalars, as in OpenStep: a merged string takes the base's type.
    static func read(_ document: PlistDictionary, isUntyped: Bool = false) throws(OverlayError) -> Overlay {
        let reader = DocumentPart(document, at: .root)
        let isKnown = document[mark]?.integer == version || (isUntyped && document[mark]?.string == "1")
        guard isKnown else {
            throw OverlayError(
                .unsupported, "CapsuleOverlay is \(document[mark]?.description ?? "missing"); only version 1 is supported",
                in: PlistPointer(steps: [mark]))
        }
        let hasTargets = document["Targets"] != nil
        try reader.checkKeys(documentKeys + (hasTargets ? [] : ownKeys), alsoKnown: hasTargets ? targetKeys : []) {
            "move '\($0)' into one of the Targets"
        }
        var overlay = Overlay(
            name: try reader.string("Name"), note: try reader.string("Note"), conditions: try conditions(reader, "When"),
            arrays: try arrays(reader), targets: [])
        if let targets = try reader.array("Targets") {
            for (number, target) in targets.enumerated() {
                let part = try reader.part(target, "Targets", number)
                try part.checkKeys(targetKeys)
                overlay.targets.append(try self.target(part, conditions: try conditions(part, "When")))
            }
        } else if document["Files"] == nil || document.keys.contains(where: { ownKeys.contains($0.string) }) {
            overlay.targets = [try target(reader, conditions: [])]
        }
        overlay.files = try FileRecordReader.read(reader, isUntyped: isUntyped)
        try overlay.refuseTargetsWithoutFile(isOwnTarget: !hasTargets)
        overlay.stringsTakeBaseType = isUntyped
        return overlay
    }

    private static func target(_ part: DocumentPart, conditions: [Condition]) throws(OverlayError) -> Overlay.Target {
        var target = Overlay.Target(
            path: try part.string("Path"), conditions: conditions, create: try format(part, "Create"),
            encode: try format(part, "Encode"))
        if let root = try part.string("Root") {
            guard let known = Overlay.Root(root) else {
                throw part.error(
                    "Root", "\(PlistString(root).quoted) is not a root", hint: "write 'AppData', 'AppBundle' or 'AppGroup:ID'")
            }
            target.root = known
        }
        for (number, pointer) in (try part.array("Remove") ?? []).enumerated() {
            guard let text = pointer.string else { throw part.error("Remove", number, "must be a string") }
            target.remove.append(try part.pointer(text.string, "Remove", number))
        }
        if let merge = part.entries["Merge"] {
            guard merge.dictionary != nil else {
                throw part.error("Merge", "must be a dictionary, not \(merge.typeNameWithArticle)")
            }
            target.merge = merge
        }
        for (number, operation) in (try part.array("Operations") ?? []).enumerated() {
            let part = try part.part(operation, "Operations", number)
            try part.checkKeys(operationKeys)
            target.operations.append(try self.operation(part, conditions: try self.conditions(part, "when")))
        }
        return target
    }

    /// Reads one operation and ignores keys that it does not need.
    static func operation(_ part: DocumentPart, conditions: [Condition]) throws(OverlayError) -> PlistOperation {
        guard let name = try part.string("op") else { throw part.missing("op", hint: Self.knownOperations) }
        guard let path = try part.string("path") else { throw part.missing("path", hint: "write a JSON Pointer, such as '/A/0'") }
        let pointer = try part.pointer(path, "path")
        func value() throws(OverlayError) -> PlistValue {
            guard let value = part.entries["value"] else { throw part.missing("value", hint: "'\(name)' needs it") }
            return value
        }
        func elements() throws(OverlayError) -> [PlistValue] {
            guard let elements = try value().array else { throw part.error("value", "must be an array") }
            return elements
        }
        func from() throws(OverlayError) -> PlistPointer {
            guard let from = try part.string("from") else { throw part.missing("from", hint: "'\(name)' needs it") }
            return try part.pointer(from, "from")
        }
        let action: PlistOperation.Action
        switch name {
        case "add": action = .add(try value())
        case "insert": action = .insert(try value())
        case "remove": action = .remove
        case "replace": action = .replace(try value())
        case "move": action = .move(from: try from())
        case "copy": action = .copy(from: try from())
        case "test": action = .test(try value())
        case "merge": action = .merge(try value())
        case "union": action = .union(try elements())
        case "subtract": action = .subtract(try elements())
        default:
            throw part.error(
                "op", "\(PlistString(name).quoted) is not an operation",
                hint: Suggestions(for: name, among: PlistOperation.Action.names).hint ?? Self.knownOperations)
        }
        return PlistOperation(action, at: pointer, when: conditions)
    }

    private static let knownOperations = "use \(Suggestions.alternatives(PlistOperation.Action.names))"

    private static func arrays(_ part: DocumentPart) throws(OverlayError) -> [ArrayIdentities.Rule] {
        var rules: [ArrayIdentities.Rule] = []
        for (pattern, identity) in try part.dictionary("Arrays") ?? PlistDictionary() {
            guard let text = identity.string else { throw part.error("Arrays", pattern, "must be a string") }
            do throws(OverlayError) {
                rules.append(ArrayIdentities.Rule(try PointerPattern(pattern.string), try ArrayIdentity(text.string)))
            } catch {
                throw error.located(in: part.place(["Arrays", pattern]))
            }
        }
        return rules
    }

    private static func conditions(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> [Condition] {
        var conditions: [Condition] = []
        for (name, demand) in try part.dictionary(key) ?? PlistDictionary() {
            do throws(OverlayError) {
                try SettingName.check(name.string)
            } catch {
                throw error.located(in: part.place([key, name]))
            }
            switch demand {
            case .boolean(let isTrue): conditions.append(Condition(name.string, isTrue ? .isTrue : .isFalse))
            case .string(let text): conditions.append(Condition(name.string, .isAny([text.string])))
            case .array(let texts) where !texts.isEmpty && texts.allSatisfy({ $0.string != nil }):
                conditions.append(Condition(name.string, .isAny(texts.compactMap { $0.string?.string })))
            default:
                throw part.error(key, name, "is not a condition", hint: "write true, false, a string or an array of strings")
            }
        }
        return conditions
    }

    private static func format(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> PlistFormat? {
        switch try part.string(key) {
        case nil: return nil
        case "xml": return .xml
        case "binary": return .binary
        case let text?:
            throw part.error(key, "\(PlistString(text).quoted) is not an encoding", hint: "write 'xml' or 'binary'")
        }
    }
}
