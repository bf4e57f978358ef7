import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import TestSupport
import Testing

/// The public use cases, with the options that most tests need.
enum UseCases {
    static let captured = Timestamp(seconds: 1_700_000_000)

    @discardableResult
    static func pack(
        _ source: String, to capsule: String, _ change: (inout PackOptions) -> Void = { _ in }
    ) throws -> Packer.Outcome {
        var options = PackOptions(captured: captured)
        change(&options)
        return try Packer(options: options).pack(container(source), to: HostPath(capsule))
    }

    @discardableResult
    static func unpack(
        _ source: String, to result: String, _ change: (inout UnpackOptions) -> Void = { _ in }
    ) throws -> UnpackOutcome {
        var options = UnpackOptions()
        change(&options)
        return try Unpacker(options: options).unpack(container(source), to: .named(HostPath(result)))
    }

    static func verify(_ capsule: String, strict: Bool = true) throws -> Verifier.Outcome {
        try Verifier(isStrict: strict, jobs: 1).verify(HostPath(capsule))
    }

    static func list(_ source: String, _ paths: [String] = [], digesting: Bool = false) throws -> [TreeEntry] {
        try ContainerListing(container(source), paths: paths.map { Array($0.utf8) }, digesting: digesting).entries()
    }

    static func describe(_ source: String) throws -> ContainerDescription { try ContainerDescription(container(source)) }

    static func container(_ source: String) -> Container { Container(Array(source.utf8)) }

    /// Returns the error that a use case throws; nil if it throws none.
    static func failure<Outcome>(_ body: () throws -> Outcome) -> CapsuleError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? CapsuleError
        }
    }
}

/// Returns the tree of a bundle with app data.
func bundle(_ appData: TreeLiteral, info: String? = "com.example.app", identity: String? = nil) -> TreeLiteral {
    var tree = appData.placed(at: "AppData")
    if tree["AppData"] == nil { tree["AppData"] = .directory() }
    if let info { tree["AppDataInfo.plist"] = .file(plist(["CFBundleIdentifier": info])) }
    if let identity {
        tree["AppData/.com.apple.mobile_container_manager.metadata.plist"] = .file(plist(["MCMMetadataIdentifier": identity]))
    }
    return tree
}

/// Returns an XML property list of strings.
func plist(_ values: [String: String]) -> String {
    let keys = values.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key><string>\($0.value)</string>" }.joined()
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(keys)</dict></plist>"
}

/// Returns a tree with all kinds of entries, generated from a seed.
func generatedTree(seed: UInt64, entries: Int, hasAttributes: Bool) -> TreeLiteral {
    var random = SeededGenerator(seed: seed)
    // Random names that differ only in case would be the same name on some file systems.
    let takesRawNames = FileSystemTraits.temporary.takesAnyBytes && FileSystemTraits.temporary.tellsCaseApart
    var tree: TreeLiteral = ["": .directory(mode: 0o700 | UInt16(random.number(0...0o77)))]
    var directories: [[UInt8]] = [[]]
    var files: [[UInt8]] = []
    func name() -> [UInt8] {
        if takesRawNames, random.isLucky(oneIn: 3) {
            let raw = random.bytes(random.isLucky(oneIn: 8) ? 255 : random.number(1...12)).map {
                $0 == 0 || $0 == 0x2F ? 0xFF : $0
            }
            return raw == [0x2E] || raw == [0x2E, 0x2E] ? [0xFE] : raw
        }
        return Array(
            (random.pick(["a", "B", "é", "日本", " ", "-", "x.y", ".h", "🗂", "a-b"]) + String(random.number(0...99))).utf8)
    }
    func time() -> Timestamp {
        Timestamp(
            seconds: Int64(random.number(-2_000_000_000...8_000_000_000)),
            nanoseconds: random.pick([0, 1, 999_999_999, UInt32(random.number(0...999_999_999))])) ?? .epoch
    }
    func content() -> [UInt8] {
        let length = 1 << random.number(0...17)
        switch random.number(0...4) {
        case 0: return []
        case 1: return random.bytes(length)
        case 2: return (0..<length).map { _ in random.pick(Array("text \n".utf8)) }
        case 3: return [UInt8](repeating: 0, count: random.pick([1, 65_536, 200_000])) + random.bytes(random.number(0...3_000))
        default: return random.bytes(700) + [UInt8](repeating: 0, count: 140_000)
        }
    }
    func attributes() -> [String: [UInt8]] {
        guard hasAttributes, random.isLucky(oneIn: 4) else { return [:] }
        return [random.pick(["user.com.apple.metadata:x", "user.b"]): random.bytes(random.number(0...60)), "user.empty": []]
    }
    for _ in 0..<entries {
        let parent = random.pick(directories)
        let whole = parent.isEmpty ? name() : parent + [0x2F] + name()
        let path = TreeLiteral.RawPath(whole)
        guard tree[path] == nil, whole.count < 900 else { continue }
        switch random.number(0...9) {
        case 0, 1, 2:
            tree[path] = .directory(
                mode: 0o700 | UInt16(random.number(0...0o77)) | (random.isLucky(oneIn: 5) ? 0o1000 : 0), at: time(),
                attributes: attributes())
            directories.append(whole)
        case 3:
            tree[path] = .link(
                random.pick([
                    Array("..".utf8), [0xFF], [UInt8](repeating: 0x74, count: random.number(1...300)), Array("/etc/passwd".utf8),
                ]), at: time())
        case 4 where !files.isEmpty:
            tree[path] = .hardLink(to: random.pick(files))
        default:
            tree[path] = .file(content(), mode: 0o400 | UInt16(random.number(0...0o377)), at: time(), attributes: attributes())
            files.append(whole)
        }
    }
    return tree
}
