import CapsuleCore
import CapsulePropertyList

extension JSONText {
    /// A value of a change under a name of the data's own (docs/json.md, "diff").
    mutating func add(_ value: ShownValue, as name: String, isFull: Bool) {
        switch value {
        case .value(let value): add(name: name, value, isFull: isFull)
        case .dataHead(let head, let count): add(name: name, headOfData: head, count: count)
        case .textHead(let head, let count):
            var item = JSONText()
            item.add("$text", head.string)
            item.add("bytes", count)
            item.add("cut", true)
            add(name: name, item)
        case .external(let file, let size, let digest):
            var item = JSONText()
            item.add("$external", file)
            if let size { item.add("bytes", size) }
            item.add("digest", digest?.hex)
            add(name: name, item)
        case .hidden(let kind):
            var item = JSONText()
            item.add("$hidden", kind)
            add(name: name, item)
        }
    }
}
