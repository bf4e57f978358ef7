public import CapsulePropertyList

extension Overlay {
    /// The overlay as a document, whatever it was written as.
    public var document: PlistValue {
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
