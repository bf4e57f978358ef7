import CapsuleCore

extension Omission {
    /// An extended attribute that no capsule can hold.
    static func longAttribute(_ name: [UInt8], of path: [UInt8]) -> Omission {
        let (one, all) = (ExtendedAttribute.maximumValueLength, ExtendedAttribute.maximumTotalLength)
        let name = String(decoding: name, as: UTF8.self)
        return Omission(
            path: path, reason: "attribute \(name) exceeds \(one) bytes, or all attributes together exceed \(all)")
    }
}
