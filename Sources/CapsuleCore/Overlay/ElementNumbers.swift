import CapsulePropertyList

/// Numbers elements, so that equal ones have the same number, and holds them meanwhile.
struct ElementNumbers {
    /// A merge has to be exact, so it compares more than a diff before it gives up.
    private static let missLimit = 1 << 20

    private var classes = ElementClasses(missLimit: ElementNumbers.missLimit)
    private var held: [PlistValue] = []

    /// False once equal elements may have got different numbers.
    var isExact: Bool { classes.isExact }

    mutating func number(of element: PlistValue) -> Int {
        // Containers are recognised by where they are, which no other may come to be.
        if element.storageAddress != nil { held.append(element) }
        return classes.number(of: element)
    }
}
