import CapsulePropertyList

extension PlistValue {
    /// Returns the value with its scalars and keys replaced.
    func mapping(_ change: (PlistValue) -> PlistValue) -> PlistValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.mapping(change) })
        case .dictionary(let dictionary):
            .dictionary(PlistDictionary(dictionary.map { (change(.string($0.key)).string ?? "", $0.value.mapping(change)) }))
        default: change(self)
        }
    }

    /// The value without carriage returns, which others write directly into XML, where they are read as line feeds.
    var withoutReturns: PlistValue {
        mapping { value in
            guard let string = value.string else { return value }
            return .string(PlistString(String(String.UnicodeScalarView(string.string.unicodeScalars.filter { $0 != "\r" }))))
        }
    }
}
