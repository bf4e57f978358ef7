import CapsuleCore
import CapsulePropertyList

/// Values of changes on one line, for people.
struct ShownValueText {
    /// Unicode scalars of a string, and bytes of data, that are shown; nil for all.
    let length: Int?

    init(isFull: Bool) {
        length = isFull ? nil : 240
    }

    func text(_ value: ShownValue?) -> String {
        switch value {
        case nil: "nothing"
        case .value(.null): "NULL"
        case .value(let value): text(value)
        case .dataHead(let head, let count): PlistValue.line(ofData: head, count: count, length: length)
        case .textHead(let head, let count): PlistValue.string(head).line(length: shown) + " (of \(count) bytes)"
        case .external(let name, let size, let digest): Self.external(name, size, digest)
        case .hidden(let kind): "hidden (\(kind))"
        }
    }

    func text(_ value: PlistValue) -> String {
        value.line(length: length, values: length == nil ? .max : 50)
    }

    /// What is there of a value that is not there as a whole.
    private var shown: Int { length ?? .max }

    private static func external(_ name: String, _ size: UInt64?, _ digest: ContentDigest?) -> String {
        let place = QuotedBytes(Array(name.utf8)).text
        guard let size else { return "external file \(place), which is missing" }
        let sum = digest.map { ", SHA-256 \($0.hex.prefix(8))…" } ?? ""
        return "external file \(place), \(Quantity.bytes(size))\(sum)"
    }
}
