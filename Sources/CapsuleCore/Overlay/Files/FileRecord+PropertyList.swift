public import CapsulePropertyList

extension FileRecord {
    /// The record as an element of a document's `Files`.
    public var propertyList: PlistValue {
        var entries: PlistDictionary = ["Path": .name(path.bytes)]
        if let old { entries["Old"] = old.propertyList }
        if let new { entries["New"] = new.propertyList }
        return .dictionary(entries)
    }
}

extension FileState {
    fileprivate var propertyList: PlistValue {
        var entries: PlistDictionary = ["Kind": .string(PlistString(kind.word))]
        if let mode { entries["Mode"] = .string(PlistString(mode.octal)) }
        if let modified { entries["Time"] = .string(PlistString(modified.decimal)) }
        if let attributes { entries["Attributes"] = Self.list(attributes) }
        if !target.isEmpty { entries["Target"] = .name(target) }
        if let content {
            entries["Size"] = .integer(PlistInteger(content.size))
            entries["Digest"] = .string(PlistString(content.digest.hex))
            entries["Chunks"] = content.recipe?.propertyList
        }
        return .dictionary(entries)
    }

    private static func list(_ attributes: [ExtendedAttribute]) -> PlistValue {
        var entries = PlistDictionary()
        for attribute in attributes {
            guard let name = PlistValue.name(attribute.name).string else {
                // A key is text in every encoding: names that are none need another form.
                return .array(
                    attributes.map { .dictionary(["Name": .name($0.name), "Value": .data($0.value)]) })
            }
            entries[name] = .data(attribute.value)
        }
        return .dictionary(entries)
    }
}

extension ContentRecipe {
    fileprivate var propertyList: PlistValue {
        let pieces = pieces.map { piece -> PlistValue in
            switch piece {
            case .copied(let offset, let length): .array([.integer(PlistInteger(offset)), .integer(PlistInteger(length))])
            case .carried(let length): .array([.integer(PlistInteger(length))])
            }
        }
        return .dictionary(["Carried": .string(PlistString(carried.hex)), "Pieces": .array(pieces)])
    }
}
