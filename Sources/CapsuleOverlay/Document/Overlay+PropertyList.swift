package import CapsuleCore
package import CapsulePropertyList

extension Overlay {
    package var document: PlistValue {
        var entries: PlistDictionary = [OverlayDocumentReader.mark: .integer(OverlayDocumentReader.version)]
        if let name { entries["Name"] = .string(PlistString(name)) }
        if let note { entries["Note"] = .string(PlistString(note)) }
        if !conditions.isEmpty { entries["When"] = Self.list(conditions) }
        if !arrays.isEmpty {
            entries["Arrays"] = .dictionary(
                PlistDictionary(
                    arrays.map { (PlistString($0.pattern.description), .string(PlistString($0.identity.description))) }))
        }
        if let only = targets.first, targets.count == 1, only.conditions.isEmpty, files.isEmpty {
            for (key, value) in only.entries { entries[key] = value }
        } else if !targets.isEmpty || files.isEmpty {
            entries["Targets"] = .array(targets.map { .dictionary($0.entries) })
        }
        if !files.isEmpty { entries["Files"] = .array(files.map(\.propertyList)) }
        return .dictionary(entries)
    }

    fileprivate static func list(_ conditions: [Condition]) -> PlistValue {
        .dictionary(
            PlistDictionary(
                conditions.map { condition in
                    let demand: PlistValue =
                        switch condition.demand {
                        case .isTrue: .boolean(true)
                        case .isFalse: .boolean(false)
                        case .isAny(let texts) where texts.count == 1: .string(PlistString(texts[0]))
                        case .isAny(let texts): .array(texts.map { .string(PlistString($0)) })
                        }
                    return (PlistString(condition.name), demand)
                }))
    }
}

extension Overlay.Target {
    fileprivate var entries: PlistDictionary {
        var entries = PlistDictionary()
        if let path { entries["Path"] = .string(PlistString(path)) }
        if root != .appData { entries["Root"] = .string(PlistString(root.description)) }
        if !conditions.isEmpty { entries["When"] = Overlay.list(conditions) }
        if let create { entries["Create"] = .string(PlistString(create.rawValue)) }
        if !remove.isEmpty { entries["Remove"] = .array(remove.map { .string(PlistString($0.description)) }) }
        if let merge { entries["Merge"] = merge }
        if !operations.isEmpty { entries["Operations"] = .array(operations.map { .dictionary($0.entries) }) }
        if let encode { entries["Encode"] = .string(PlistString(encode.rawValue)) }
        return entries
    }
}

extension PlistOperation {
    fileprivate var entries: PlistDictionary {
        var entries: PlistDictionary = [
            "op": .string(PlistString(action.name)), "path": .string(PlistString(path.description)),
        ]
        switch action {
        case .add(let value), .insert(let value), .replace(let value), .test(let value), .merge(let value):
            entries["value"] = value
        case .union(let elements), .subtract(let elements): entries["value"] = .array(elements)
        case .move(let from), .copy(let from): entries["from"] = .string(PlistString(from.description))
        case .remove: break
        }
        if !conditions.isEmpty { entries["when"] = Overlay.list(conditions) }
        return entries
    }
}

extension Overlay {
    /// Returns the same overlay as a document, whatever its form.
    ///
    /// - Throws: `unsupported` for what a document can't express: a merge patch, null that removes a key, strings that take the
    ///   base's type, numbers that a patch tests by value.
    package func restated() throws(OverlayError) -> Overlay {
        if form == .mergePatch {
            throw OverlayError(
                .unsupported, "a JSON Merge Patch can't be converted to a document: it replaces values of any type",
                hint: "write a partial property list, or a document")
        }
        if stringsTakeBaseType {
            throw OverlayError(
                .unsupported,
                "an OpenStep overlay has only strings, and their types are not known until it is applied",
                hint: "convert it with 'capsule plist convert xml' and set the types")
        }
        if nullRemoves, targets.contains(where: { $0.merge?.containsNull == true }) {
            throw OverlayError(
                .unsupported, "null in a JSON overlay removes a key, but a document has no null",
                hint: "write a document with 'Remove' and 'Merge'")
        }
        if form == .patch {
            for operation in targets.flatMap(\.operations) {
                guard case .test(let value) = operation.action, value.containsNumber else { continue }
                throw OverlayError(
                    .unsupported, "a JSON Patch tests numbers by value only; a document also tests their type",
                    at: operation.path,
                    hint: "write a document")
            }
        }
        var result = self
        result.form = .document
        result.nullRemoves = false
        return result
    }

    /// Returns the overlay as a document for one path of a tree, as a capsule's manifest stores it.
    ///
    /// - Throws: `unsupported` for an overlay that can't be restated, and for a file part; `invalid` for an overlay that has a path
    ///   of its own.
    package func placed(at path: String, in root: Root) throws(OverlayError) -> Overlay {
        guard files.isEmpty else {
            throw OverlayError(
                .unsupported, "the overlay has a file part, so it does not apply to a single property list",
                in: PlistPointer(steps: ["Files"]))
        }
        if let (number, target) = targets.enumerated().first(where: { $0.element.path != nil }) {
            throw OverlayError(
                .invalid, "the target has its own Path, \(PlistString(target.path ?? "").quoted)",
                in: PlistPointer(steps: ["Targets", PlistString(String(number)), "Path"]),
                hint: "remove the Path: the property list is already given")
        }
        var result = try restated()
        result.targets = result.targets.map { target in
            var target = target
            (target.path, target.root) = (path, root)
            return target
        }
        return result
    }
}

extension PlistValue {
    fileprivate var containsNull: Bool { contains { $0.isNull } }
    fileprivate var containsNumber: Bool { contains { $0.integer != nil || $0.real != nil } }

    /// Returns true if the value, or a value inside it, meets a condition. Readers limit the depth of an overlay's values.
    private func contains(_ isWanted: (PlistValue) -> Bool) -> Bool {
        if isWanted(self) { return true }
        switch self {
        case .array(let elements): return elements.contains { $0.contains(isWanted) }
        case .dictionary(let dictionary): return dictionary.contains { $0.value.contains(isWanted) }
        default: return false
        }
    }
}

extension Overlay {
    /// Returns the parts that are for one path. An overlay without any path is taken to be for that path.
    ///
    /// - Throws: `missing` if no part is for the path; `invalid` for a text that is not a path in a container.
    package func taking(_ path: String) throws(OverlayError) -> Overlay {
        guard let file = try? RelativePath(validating: Array(path.utf8)) else {
            throw OverlayError(
                .invalid, "\(PlistString(path).quoted) is not a path in a container",
                hint: "write it as 'capsule ls' prints it: Library/Preferences/com.example.app.plist")
        }
        var result = self
        if files.isEmpty, !targets.isEmpty, targets.allSatisfy({ $0.path == nil }) {
            // The form stays as it is: a merge patch or a patch can have a path, too.
            for number in targets.indices { (result.targets[number].path, result.targets[number].root) = (path, .appData) }
            return result
        }
        result.targets = targets.filter { $0.path == path }
        result.files = files.filter { $0.path == file }
        guard !result.targets.isEmpty || !result.files.isEmpty else {
            let known = Suggestions(for: path, among: targets.compactMap(\.path) + files.map { "\($0.path)" })
            throw OverlayError(.missing, "the overlay has no part for \(PlistString(path).quoted)", hint: known.hint)
        }
        return result
    }
}
