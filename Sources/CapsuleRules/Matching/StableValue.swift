import CapsuleCore
package import CapsuleHashing
package import CapsulePropertyList

/// Replaces what differs in every run with what kind of value it is, for digests.
package enum StableValue {
    /// Returns the digest of a value without what differs in every run; nil if it is too large.
    package static func digest(of value: PlistValue) -> ContentDigest? {
        DeepThread.run(for: [value]) {
            (try? JSONPlistWriter.write(of(value), options: .typed)).map { SHA256Hasher.digest(of: $0) }
        }
    }

    /// Returns a value without what differs in every run. Dictionaries become arrays of keys and values, sorted by key.
    package static func of(_ value: PlistValue) -> PlistValue {
        switch value {
        case .dictionary(let entries):
            let pairs = entries.map { (key, value) -> (key: PlistValue, value: PlistValue) in (of(.string(key)), of(value)) }
            let lines = pairs.map { ($0.key.line(length: nil), $0) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            return .array([.string("dictionary")] + lines.map { .array([$0.1.key, $0.1.value]) })
        case .array(let elements): return .array([.string("array")] + elements.map { of($0) })
        case .string, .real, .date, .data:
            guard let form = DescribedForm(.value(value), .value(value)), !form.isExact else { return value }
            return form.value
        case .integer, .boolean, .uid, .null: return value
        }
    }
}
