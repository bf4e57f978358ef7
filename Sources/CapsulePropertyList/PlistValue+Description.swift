extension PlistValue: CustomStringConvertible {
    /// A rendering for test failures and logs, on one line and with an ellipsis after some fifty values.
    ///
    /// It is bounded because a shared object of a binary property list may expand without end.
    public var description: String {
        var budget = 50
        return describe(&budget)
    }

    private func describe(_ budget: inout Int) -> String {
        budget -= 1
        switch self {
        case .string(let string): return string.quoted
        case .integer(let integer): return integer.description
        case .real(let real): return real.description
        case .boolean(let boolean): return boolean.description
        case .date(let seconds): return "date \(seconds)"
        case .data(let bytes): return "data of \(bytes.count) bytes"
        case .uid(let uid): return "uid \(uid)"
        case .null: return "null"
        case .array(let elements):
            var parts: [String] = []
            for element in elements {
                guard budget > 0 else {
                    parts.append("…")
                    break
                }
                parts.append(element.describe(&budget))
            }
            return "[" + parts.joined(separator: ", ") + "]"
        case .dictionary(let dictionary):
            var parts: [String] = []
            for (key, value) in dictionary {
                guard budget > 0 else {
                    parts.append("…")
                    break
                }
                parts.append("\(key.quoted): \(value.describe(&budget))")
            }
            return "{" + parts.joined(separator: ", ") + "}"
        }
    }
}

extension PlistValue: CustomReflectable {
    /// No children: a mirror that followed shared containers would never end.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
