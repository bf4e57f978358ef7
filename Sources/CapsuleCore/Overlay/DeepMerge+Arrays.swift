import CapsulePropertyList

extension DeepMerge {
    /// Puts an array on the stack, according to the identity of its elements.
    mutating func open(
        _ overlay: PlistValue, _ elements: [PlistValue], _ base: PlistValue?, _ frames: inout [DeepMergeFrame]
    ) throws(OverlayError) {
        switch try place.identity() {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            try keyed.checkUnique(elements, place.steps)
            frames.append(DeepMergeFrame(overlay, base, .keyed(elements, keyed)))
            frames[frames.count - 1].elements = base?.array ?? []
            frames[frames.count - 1].index = keyed.index(of: base?.array ?? [])
        case .set:
            try openUnion(overlay, elements, with: base?.array ?? [], &frames)
        case .ordered:
            frames.append(DeepMergeFrame(overlay, base, .ordered(elements)))
            frames[frames.count - 1].elements = base?.array ?? []
        case .replace:
            frames.append(DeepMergeFrame(overlay, base, .fresh(elements, isKnown: true)))
        case nil:
            frames.append(DeepMergeFrame(overlay, base, .fresh(elements, isKnown: false)))
        }
    }

    /// Puts an array that merges as a set on the stack.
    mutating func openUnion(
        _ overlay: PlistValue, _ elements: [PlistValue], with base: [PlistValue], _ frames: inout [DeepMergeFrame]
    ) throws(OverlayError) {
        let known = try numbered(base)
        frames.append(DeepMergeFrame(overlay, .array(base), .set(elements)))
        frames[frames.count - 1].elements = base
        frames[frames.count - 1].known = known
    }

    /// Returns the next element, to be merged into another one or into nothing; nil at the end of the array.
    mutating func element(of frame: inout DeepMergeFrame) throws(OverlayError) -> DeepMergeFrame.Child? {
        switch frame.contents {
        case .dictionary: return nil
        case .ordered(let elements):
            return frame.nextElement(elements, into: frame.next < frame.elements.count ? frame.elements[frame.next] : nil)
        case .fresh(let elements, _):
            return frame.nextElement(elements, into: nil)
        case .set(let elements):
            // An element that the base has in unexpanded spelling is already there.
            while frame.next < elements.count, frame.known.contains(try number(of: elements[frame.next])) { frame.next += 1 }
            return frame.nextElement(elements, into: nil)
        case .keyed(let elements, let keyed):
            return try pairedElement(of: elements, keyed, &frame)
        }
    }

    /// Stores the merged value of the current element.
    mutating func storeElement(_ value: PlistValue, into frame: inout DeepMergeFrame) throws(OverlayError) {
        switch frame.contents {
        case .dictionary: break
        case .fresh: frame.elements.append(value)
        case .ordered:
            if frame.next <= frame.elements.count {
                frame.elements[frame.next - 1] = value
            } else {
                frame.elements.append(value)
            }
        case .set:
            if frame.known.insert(try number(of: value)).inserted { frame.elements.append(value) }
        case .keyed(_, let keyed):
            try storeKeyedElement(value, keyed, &frame)
        }
    }

    mutating func closeArray(_ frame: DeepMergeFrame) {
        guard case .fresh(_, isKnown: false) = frame.contents else { return }
        guard let base = frame.base?.array, base != frame.elements else { return }
        let name = place.steps.last?.string ?? "/"
        addNote(
            "the overlay's array replaces the base's: their elements have no known identity",
            hint: "'--arrays \(name)=set' adds missing elements; 'keyed(KEY)' and 'ordered' merge elements")
    }

    // MARK: Elements that pair by a key

    private mutating func pairedElement(
        of overlay: [PlistValue], _ keyed: KeyedElements, _ frame: inout DeepMergeFrame
    ) throws(OverlayError) -> DeepMergeFrame.Child? {
        guard frame.next < overlay.count else { return nil }
        let number = frame.next
        let element = overlay[number]
        let key = try pairingKey(of: element, frame.index, keyed)
        let partner: Int?
        if let key {
            try keyed.claim(key, by: number, &frame.taken, place.steps)
            partner = try keyed.partner(key, in: frame.index, at: place.steps)
        } else if keyed.isOptional {
            partner = nil
        } else {
            let count = frame.base?.array?.count ?? 0
            guard overlay.count == 1, count == 1 else { throw keyed.unpaired(number, base: count, at: place.steps) }
            partner = 0
        }
        frame.next += 1
        frame.partner = partner
        frame.hasKey = key != nil
        guard let partner else {
            return DeepMergeFrame.Child(overlay: element, base: nil, step: DeepMergeFrame.step(frame.elements.count))
        }
        return DeepMergeFrame.Child(
            overlay: keyed.withoutKey(element), base: frame.elements[partner], step: DeepMergeFrame.step(partner))
    }

    private mutating func storeKeyedElement(
        _ value: PlistValue, _ keyed: KeyedElements, _ frame: inout DeepMergeFrame
    ) throws(OverlayError) {
        if let partner = frame.partner {
            frame.elements[partner] = value
            return
        }
        if !frame.hasKey {
            if frame.keyless == nil {
                frame.keyless = try numbered((frame.base?.array ?? []).filter { keyed.value(of: $0) == nil })
            }
            // An equal element that is already there was added before.
            let isNew = frame.keyless?.insert(try number(of: value)).inserted == true
            guard isNew else { return }
        }
        frame.elements.append(value)
    }

    /// Returns the key that pairs an element of the overlay: as it is spelled if the base has that key, expanded otherwise; nil if
    /// the element has no key.
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
                .limit, "too many elements differ only in deeply nested values to compare them all", at: place.pointer)
        }
        return number
    }
}
