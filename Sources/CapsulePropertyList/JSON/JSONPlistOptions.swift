/// How JSON spells property lists.
public struct JSONPlistOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Every value has a spelling, and each its own, as objects whose first key begins with `$`:
    ///
    /// | value | spelling |
    /// |---|---|
    /// | data | `{"$data": "AAEC"}`, in base64 |
    /// | date | `{"$date": "2001-01-01T00:00:00.5Z"}`; where that can't be, seconds since then as a real |
    /// | UID | `{"$uid": 1}` |
    /// | real | `{"$real": "1.0"}`; `nan`, `infinity`, `-infinity`; `nan(0x7ff8000000000001)` for a NaN with other bits |
    /// | integer beyond ±(2^53 − 1) | `{"$int": "9007199254740992"}` |
    /// | dictionary with a key that begins with `$` | `{"$dict": [["$key", value], …]}` |
    ///
    /// Read, an object with such a key that is none of these is an error; plain numbers are read as ever.
    public static let typed = JSONPlistOptions(rawValue: 1)
}
