import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import TestSupport

/// Property lists with arrays of every identity, and changes of them.
extension SeededGenerator {
    /// The built-in table, and an array that pairs by index.
    static let identities: ArrayIdentities = {
        let rule = (try? PointerPattern("Steps")).map { ArrayIdentities.Rule($0, .ordered) }
        return ArrayIdentities(rule.map { [$0] } ?? [])
    }()

    private static let keys: [PlistString] = ["a", "b", "c", "d/e", "~f", "0", "-", "[a=b]", "é"]

    /// Returns a random dictionary.
    mutating func propertyList(depth: Int = 3) -> PlistValue {
        var result = PlistDictionary()
        for _ in 0..<number(0...6) {
            if isLucky(oneIn: 2) {
                let (key, value) = array(depth: depth - 1)
                result[key] = value
            } else {
                result[pick(Self.keys)] = any(depth: depth - 1)
            }
        }
        return .dictionary(result)
    }

    private mutating func any(depth: Int) -> PlistValue {
        if depth > 0, isLucky(oneIn: 3) { return propertyList(depth: depth) }
        if depth > 0, isLucky(oneIn: 5) { return .array((0..<number(0...4)).map { _ in any(depth: depth - 1) }) }
        return scalar()
    }

    mutating func scalar() -> PlistValue {
        switch number(0...9) {
        case 0: .integer(PlistInteger(number(0...3)))
        case 1: .real(Double(number(0...3)))
        case 2: .boolean(isLucky(oneIn: 2))
        case 3: .date(Double(number(0...3)))
        case 4: .data(bytes(number(0...3)))
        case 5: .uid(UInt64(number(0...3)))
        default: .string(pick(["", "0", "1", "true", "x", "y", "a/b", "]", "x=y"]))
        }
    }

    /// Returns an array that the table knows, or one that it does not know, with its key.
    private mutating func array(depth: Int) -> (PlistString, PlistValue) {
        let count = number(0...5)
        func elements(_ make: (inout SeededGenerator) -> PlistValue) -> PlistValue {
            .array((0..<count).map { _ in make(&self) })
        }
        switch number(0...7) {
        case 0: return ("UIBackgroundModes", elements { $0.scalar() })
        case 1: return ("UTTypeConformsTo", elements { $0.isLucky(oneIn: 5) ? $0.any(depth: depth) : $0.scalar() })
        case 2: return ("CFBundleURLTypes", elements { $0.element("CFBundleURLName", depth) })
        case 3: return ("SKAdNetworkItems", elements { $0.element("SKAdNetworkIdentifier", depth) })
        case 4: return ("UTExportedTypeDeclarations", elements { $0.element("UTTypeIdentifier", depth) })
        case 5: return ("Steps", elements { $0.any(depth: depth) })
        case 6: return ("UISupportedInterfaceOrientations", elements { $0.scalar() })
        default: return ("List", elements { $0.any(depth: depth) })
        }
    }

    private mutating func element(_ key: PlistString, _ depth: Int) -> PlistValue {
        if isLucky(oneIn: 20) { return scalar() }
        var result = PlistDictionary()
        if !isLucky(oneIn: 6) {
            result[key] = isLucky(oneIn: 5) ? scalar() : .string(pick(["one", "two", "Two", "three", "four", "five", "a/b"]))
        }
        for _ in 0..<number(0...2) { result[pick(Self.keys)] = any(depth: depth - 1) }
        if depth > 0, isLucky(oneIn: 3) { result["UIBackgroundModes"] = .array((0..<number(0...3)).map { _ in scalar() }) }
        return .dictionary(result)
    }

    /// Returns the value with this number of changes anywhere in it.
    mutating func changed(_ value: PlistValue, _ count: Int) -> PlistValue {
        (0..<count).reduce(value) { value, _ in changed(value) }
    }

    private mutating func changed(_ value: PlistValue) -> PlistValue {
        switch value {
        case .dictionary(var entries):
            if let key = entries.isEmpty ? nil : pick(Array(entries.keys)), !isLucky(oneIn: 4) {
                if isLucky(oneIn: 5) {
                    entries[key] = nil
                } else {
                    entries[key] = entries[key].map { changed($0) }
                }
            } else {
                guard let more = propertyList(depth: 2).dictionary else { return value }
                for (key, value) in more { entries[key] = value }
            }
            return .dictionary(entries)
        case .array(var elements):
            guard !elements.isEmpty else { return .array([scalar()]) }
            let place = number(0...elements.count - 1)
            switch number(0...7) {
            case 0: elements.remove(at: place)
            case 1: elements.insert(scalar(), at: place)
            case 2: elements.insert(pick(elements), at: place)
            case 3: elements.swapAt(place, number(0...elements.count - 1))
            case 4: elements.shuffle(using: &self)
            case 5: elements.append(changed(elements[place]))
            default: elements[place] = changed(elements[place])
            }
            return .array(elements)
        default:
            return isLucky(oneIn: 8) ? propertyList(depth: 2) : scalar()
        }
    }

    /// Returns the value with the keys of all dictionaries in another order.
    mutating func shuffledKeys(_ value: PlistValue) -> PlistValue {
        switch value {
        case .dictionary(let entries):
            .dictionary(PlistDictionary(entries.shuffled(using: &self).map { ($0.key, shuffledKeys($0.value)) }))
        case .array(let elements): .array(elements.map { shuffledKeys($0) })
        default: value
        }
    }
}
