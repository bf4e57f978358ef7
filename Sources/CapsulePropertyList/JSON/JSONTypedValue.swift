/// Options for representing property lists in JSON.
package struct JSONPlistOptions: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Represents every value without ambiguity, using objects whose first key begins with `$`:
    ///
    /// | value | representation |
    /// |---|---|
    /// | data | `{"$data": "AAEC"}`, in base64 |
    /// | date | `{"$date": "2001-01-01T00:00:00.5Z"}`; if that is not possible, seconds since 2001 as a real |
    /// | UID | `{"$uid": 1}` |
    /// | real | `{"$real": "1.0"}`; `nan`, `infinity`, `-infinity`; `nan(0x7ff8000000000001)` for a NaN with other bits |
    /// | integer beyond ±(2^53 − 1) | `{"$int": "9007199254740992"}` |
    /// | dictionary with a key that begins with `$` | `{"$dict": [["$key", value], …]}` |
    ///
    /// When reading, any other object with such a key is an error. Plain numbers are read as usual.
    package static let typed = JSONPlistOptions(rawValue: 1)
}

/// The objects that represent values for which JSON has no form. (``JSONPlistOptions/typed``)
enum JSONTypedValue {
    static let integerKey: PlistString = "$int"
    static let realKey: PlistString = "$real"
    static let dateKey: PlistString = "$date"
    static let dataKey: PlistString = "$data"
    static let uidKey: PlistString = "$uid"
    static let dictionaryKey: PlistString = "$dict"
    /// The key for the length of data in a report. Data with ``cutKey`` was truncated and can't be read back.
    private static let bytesKey: PlistString = "bytes"
    private static let cutKey: PlistString = "cut"

    /// The integers that every JSON reader represents exactly. (RFC 7493, section 2.2)
    static let exactIntegers = PlistInteger(-0x1F_FFFF_FFFF_FFFF)...PlistInteger(0x1F_FFFF_FFFF_FFFF)

    enum Reading {
        case plain
        case typed(PlistValue)
        case wrong(PlistError.Code, String)
    }

    static func isReserved(_ key: PlistString) -> Bool {
        key.utf8.first == UInt8(ascii: "$")
    }

    /// Returns the value that an object represents. Typed objects among its members must have been converted already.
    static func value(of object: PlistDictionary) -> Reading {
        guard object.keys.contains(where: isReserved) else { return .plain }
        guard let (key, value) = object.first, isReserved(key), object.count == 1 || key == dataKey else {
            return .wrong(.invalidScalar, "a key that begins with $ among other keys; write such a dictionary as {\"$dict\": …}")
        }
        let result: PlistValue? =
            switch key {
            case integerKey: integer(value).map { .integer($0) }
            case realKey: real(value).map { .real($0) }
            case dateKey: date(value).map { .date($0) }
            case dataKey: data(object).map { .data($0) }
            case uidKey: integer(value)?.uint64.map { .uid($0) }
            case dictionaryKey: dictionary(value).map { .dictionary($0) }
            default: nil
            }
        return result.map { .typed($0) } ?? .wrong(.invalidScalar, "not a valid value for \(key.quoted)")
    }

    private static func integer(_ value: PlistValue) -> PlistInteger? {
        if let integer = value.integer { return integer }
        guard let text = value.string, case .value(let integer) = number(text, XMLPlistScalars.integer) else { return nil }
        return integer
    }

    private static func number<Number>(
        _ text: PlistString, _ read: (UnsafeRawBufferPointer) -> XMLPlistScalars.Number<Number>
    ) -> XMLPlistScalars.Number<Number> {
        text.withUTF8 { read(UnsafeRawBufferPointer($0)) }
    }

    private static func real(_ value: PlistValue) -> Double? {
        guard let text = value.string else { return value.real }
        let bits = text.string.hasPrefix("nan(0x") ? text.string.dropFirst(6).dropLast() : nil
        if let bits, text.utf8.last == UInt8(ascii: ")"), let pattern = UInt64(bits, radix: 16) {
            let real = Double(bitPattern: pattern)
            return real.isNaN ? real : nil
        }
        guard case .value(let real) = number(text, XMLPlistScalars.real) else { return nil }
        return real
    }

    private static func date(_ value: PlistValue) -> Double? {
        guard let text = value.string else { return value.real ?? value.integer?.int64.map { Double($0) } }
        return text.withUTF8 { DateSpelling.read(UnsafeRawBufferPointer($0)) }
    }

    private static func data(_ object: PlistDictionary) -> [UInt8]? {
        guard let text = object[dataKey]?.string, let data = text.withUTF8({ Base64.decode(UnsafeRawBufferPointer($0)) }),
            object.keys.allSatisfy({ $0 == dataKey || $0 == bytesKey || $0 == cutKey })
        else { return nil }
        if let cut = object[cutKey], cut.boolean != false { return nil }
        if let bytes = object[bytesKey], bytes.integer != PlistInteger(data.count) { return nil }
        return data
    }

    private static func dictionary(_ value: PlistValue) -> PlistDictionary? {
        guard let pairs = value.array else { return nil }
        var dictionary = PlistDictionary()
        for pair in pairs {
            guard let pair = pair.array, pair.count == 2, let key = pair[0].string, dictionary[key] == nil else { return nil }
            dictionary[key] = pair[1]
        }
        return dictionary
    }

    /// Returns the text of a real that reads back as the same value, to the bit.
    static func spell(_ real: Double) -> String {
        if real.isNaN {
            return real.bitPattern == Double.nan.bitPattern ? "nan" : "nan(0x\(String(real.bitPattern, radix: 16)))"
        }
        if real.isInfinite { return real < 0 ? "-infinity" : "infinity" }
        return RealSpelling.spellAsReal(real)
    }
}
