import CapsulePropertyList

extension DeepMerge {
    mutating func merge(_ overlay: [PlistValue], into base: [PlistValue]?) throws(OverlayError) -> [PlistValue] {
        switch try place.identity() {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            return try mergeKeyed(overlay, into: base ?? [], keyed)
        case .set:
            return try union(overlay, with: base ?? [])
        case .ordered:
            var result = base ?? []
            for (number, element) in overlay.enumerated() {
                if number < result.count {
                    result[number] = try merge(element, into: result[number], below: Self.step(number))
                } else {
                    result.append(try merge(element, into: nil, below: Self.step(number)))
                }
            }
            return result
        case .replace:
            return try fresh(overlay)
        case nil:
            let result = try fresh(overlay)
            if let base, base != result { noteUnknown() }
            return result
        }
    }

    private mutating func noteUnknown() {
        let name = place.steps.last?.string ?? "/"
        note(
            "the overlay's array takes the place of the base's: how their elements pair is not known",
            hint: "'--arrays \(name)=set' adds what is missing; 'keyed(KEY)' and 'ordered' pair")
    }

    /// Elements that are merged into nothing.
    private mutating func fresh(_ elements: [PlistValue]) throws(OverlayError) -> [PlistValue] {
        var result: [PlistValue] = []
        result.reserveCapacity(elements.count)
        for (number, element) in elements.enumerated() {
            result.append(try merge(element, into: nil, below: Self.step(number)))
        }
        return result
    }

    /// The base's elements in their order, then those that are new.
    mutating func union(_ overlay: [PlistValue], with base: [PlistValue]) throws(OverlayError) -> [PlistValue] {
        var result = base
        var known = try numbered(base)
        for (number, element) in overlay.enumerated() {
            // What the base spells unexpanded is there already.
            if known.contains(try self.number(of: element)) { continue }
            let new = try merge(element, into: nil, below: Self.step(number))
            if known.insert(try self.number(of: new)).inserted { result.append(new) }
        }
        return result
    }

    private mutating func mergeKeyed(
        _ overlay: [PlistValue], into base: [PlistValue], _ keyed: KeyedElements
    ) throws(OverlayError) -> [PlistValue] {
        try keyed.checkUnique(overlay, place.steps)
        let known = keyed.index(of: base)
        var result = base
        var taken = KeyedElements.Taken()
        // Those without a key; nil as long as none is looked for.
        var keyless: Set<Int>?
        for (number, element) in overlay.enumerated() {
            let key = try pairingKey(of: element, known, keyed)
            let partner: Int?
            if let key {
                try keyed.take(key, by: number, &taken, place.steps)
                partner = try keyed.partner(key, in: known, at: place.steps)
            } else if keyed.isOptional {
                partner = nil
            } else {
                guard overlay.count == 1, base.count == 1 else {
                    throw keyed.unpaired(number, base: base.count, at: place.steps)
                }
                partner = 0
            }
            if let partner {
                result[partner] = try merge(keyed.withoutKey(element), into: result[partner], below: Self.step(partner))
                continue
            }
            let new = try merge(element, into: nil, below: Self.step(result.count))
            if key == nil {
                if keyless == nil { keyless = try numbered(base.filter { keyed.value(of: $0) == nil }) }
                // One that stands there already was added before.
                let isNew = keyless?.insert(try self.number(of: new)).inserted == true
                guard isNew else { continue }
            }
            result.append(new)
        }
        return result
    }

    /// What an element of the overlay pairs by: its key as it is spelled if the base has that, else expanded; nil for none.
    private func pairingKey(
        of element: PlistValue, _ known: [PlistValue: [Int]], _ keyed: KeyedElements
    ) throws(OverlayError) -> PlistValue? {
        guard let key = keyed.value(of: element) else { return nil }
        guard expansion != nil, key.string != nil else { return key }
        if try keyed.partner(key, in: known, at: place.steps) != nil { return key }
        let spelled = try expanded(key)
        return spelled.string?.isEmpty == true ? nil : spelled
    }

    // MARK: Equal elements

    private mutating func numbered(_ elements: [PlistValue]) throws(OverlayError) -> Set<Int> {
        var result: Set<Int> = []
        for element in elements { result.insert(try number(of: element)) }
        return result
    }

    private mutating func number(of element: PlistValue) throws(OverlayError) -> Int {
        let number = numbers.number(of: element)
        guard numbers.isExact else {
            throw OverlayError(
                .limit, "too many elements are alike but for what lies deep in them, to tell which are equal", at: place.pointer)
        }
        return number
    }

    private static func step(_ index: Int) -> PlistString { PlistString(String(index)) }
}
