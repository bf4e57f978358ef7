/// One step from a container to a value in it.
enum PlistPointerStep {
    case key(PlistString)
    case index(Int)

    /// The steps as a JSON Pointer (RFC 6901): `~` becomes `~0` and `/` becomes `~1`.
    static func pointer(_ steps: [PlistPointerStep]) -> String {
        var pointer: [UInt8] = []
        for step in steps {
            pointer.append(UInt8(ascii: "/"))
            switch step {
            case .index(let index):
                pointer.append(contentsOf: index.description.utf8)
            case .key(let key):
                for byte in key.utf8 {
                    switch byte {
                    case UInt8(ascii: "~"): pointer.append(contentsOf: "~0".utf8)
                    case UInt8(ascii: "/"): pointer.append(contentsOf: "~1".utf8)
                    default: pointer.append(byte)
                    }
                }
            }
        }
        return String(decoding: pointer, as: UTF8.self)
    }
}
