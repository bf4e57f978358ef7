/// Keyed archives, printed as the objects in them.
extension PlistPrinter {
    mutating func print(archive tree: PlistValue, steps: [PlistPointerStep]) throws(PlistError) {
        held.append(tree)
        output.append("keyed archive")
        guard let entries = tree.dictionary?.entries, !entries.isEmpty else { return try endLine() }
        try open(.entries(entries), isArchived: true, steps: steps)
    }

    /// Prints what a resolved keyed archive has for an object or a reference; false for a dictionary that is neither.
    mutating func print(object: PlistDictionary, steps: [PlistPointerStep]) throws(PlistError) -> Bool {
        if let reference = object["$ref"]?.string, object.count == 1 {
            output.append("the same as ")
            append(pointer: target(of: reference, steps: steps))
            try endLine()
            return true
        }
        guard let className = object["$class"]?.string else { return false }
        append(key: className, isArchived: false)
        if let text = object["$value"]?.string {
            output.append(UInt8(ascii: " "))
            append(quoted: text)
            try endLine()
        } else if let (name, elements) = Self.elements(of: object) {
            output.append(" of ")
            append(elements.count)
            guard !elements.isEmpty else {
                try endLine()
                return true
            }
            try open(.elements(elements), isArchived: true, steps: steps + [.key(name)])
        } else if object.count == 1 {
            try endLine()
        } else {
            // The class comes first.
            try open(.entries(object.entries), isArchived: true, steps: steps, from: 1)
        }
        return true
    }

    /// What the object of a set or a dictionary holds, and under which name.
    private static func elements(of object: PlistDictionary) -> (PlistString, [PlistValue])? {
        for name: PlistString in ["$objects", "$entries"] {
            if let elements = object[name]?.array { return (name, elements) }
        }
        return nil
    }

    /// The tree of a keyed archive in data; nil for any other data.
    mutating func unarchive(_ bytes: [UInt8]) -> PlistValue? {
        // The same data may come again and again.
        guard PlistFormat.sniff(bytes) != nil, bytes.count <= limits.documentBytes - unarchivedBytes else { return nil }
        unarchivedBytes += bytes.count
        do throws(PlistError) {
            let value = try PlistReader.read(bytes, limits: limits).value
            return KeyedArchive.isArchive(value) ? try KeyedArchive(value).resolved(limits: limits) : nil
        } catch {
            return nil
        }
    }
}
