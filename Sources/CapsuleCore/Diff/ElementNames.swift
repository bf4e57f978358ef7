import CapsulePropertyList

/// The steps by which pointers name the elements of two arrays: `[KEY=VALUE]` or `[=VALUE]` where one element alone is meant
/// by it on each side, else the index.
struct ElementNames {
    private struct Count {
        var old = 0
        var new = 0
    }

    private let key: PlistString?
    private let oldSelectors: [PlistString?]
    private let newSelectors: [PlistString?]
    private var counts: [PlistString: Count] = [:]

    init(_ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?) {
        var isNamed = false
        var key: PlistString?
        switch identity {
        case .keyed(let name, _, _): (isNamed, key) = (true, name)
        case .set: isNamed = true
        case .ordered, .replace, nil: break
        }
        self.key = key
        oldSelectors = isNamed ? old.map { $0.selector(key: key) } : []
        newSelectors = isNamed ? new.map { $0.selector(key: key) } : []
        for case let step? in oldSelectors { counts[step, default: Count()].old += 1 }
        for case let step? in newSelectors { counts[step, default: Count()].new += 1 }
    }

    /// Of an element that both have.
    func paired(_ old: Int, _ new: Int) -> PlistString {
        guard let step = selector(oldSelectors, old), step == selector(newSelectors, new), let count = counts[step],
            count.old == 1, count.new == 1
        else { return Self.index(old) }
        return step
    }

    /// Of an element that the old array alone has.
    func removed(_ old: Int) -> PlistString {
        guard let step = selector(oldSelectors, old), let count = counts[step], count.old == 1, count.new == 0 else {
            return Self.index(old)
        }
        return step
    }

    /// Of an element that the new array alone has.
    func added(_ new: Int) -> PlistString {
        guard let step = selector(newSelectors, new), let count = counts[step], count.old == 0, count.new == 1 else {
            return Self.index(new)
        }
        return step
    }

    /// What stands for an element where the order is told: what it pairs by, else itself.
    func label(of element: PlistValue) -> PlistValue {
        key.flatMap { element.dictionary?[$0] } ?? element
    }

    private func selector(_ selectors: [PlistString?], _ place: Int) -> PlistString? {
        place < selectors.count ? selectors[place] : nil
    }

    private static func index(_ place: Int) -> PlistString { PlistString(String(place)) }
}
