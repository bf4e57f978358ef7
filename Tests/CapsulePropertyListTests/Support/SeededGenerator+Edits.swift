import CapsulePropertyList
import TestSupport

/// Random changes to property lists.
extension SeededGenerator {
    /// Returns the value with some changes. XML must be able to represent the result.
    mutating func edited(_ value: PlistValue) -> PlistValue {
        var edited = value
        for _ in 0..<number(1...4) { change(&edited) { $0.value(depth: 2) } }
        return edited
    }

    /// Changes something in a value. The function creates new values.
    mutating func change(_ value: inout PlistValue, _ make: (inout SeededGenerator) -> PlistValue) {
        switch value {
        case .array(var elements) where !isLucky(oneIn: 8):
            value = .boolean(false)
            switch number(0...5) {
            case 0: elements.insert(make(&self), at: number(0...elements.count))
            case 1 where !elements.isEmpty: elements.remove(at: number(0...(elements.count - 1)))
            case 2: elements.shuffle(using: &self)
            case 3 where !elements.isEmpty: elements.append(pick(elements))
            default:
                if !elements.isEmpty { change(&elements[number(0...(elements.count - 1))], make) }
            }
            value = .array(elements)
        case .dictionary(var dictionary) where !isLucky(oneIn: 8):
            value = .boolean(false)
            switch number(0...4) {
            case 0: dictionary[string()] = make(&self)
            case 1 where !dictionary.isEmpty: dictionary[dictionary[number(0...(dictionary.count - 1))].key] = nil
            case 2: dictionary = PlistDictionary(dictionary.shuffled(using: &self).map { ($0.key, $0.value) })
            default:
                guard !dictionary.isEmpty else { break }
                let (key, old) = dictionary[number(0...(dictionary.count - 1))]
                var new = old
                change(&new, make)
                dictionary[key] = new
            }
            value = .dictionary(dictionary)
        default:
            value = make(&self)
        }
    }
}
