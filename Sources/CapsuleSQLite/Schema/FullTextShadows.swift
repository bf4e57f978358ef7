/// The tables in which FTS3, FTS4 and FTS5 keep what a virtual table shows (sqlite.org/fts3.html, fts5.html).
///
/// `%_content` holds the texts as they were given and is compared; all else is an index made of them, and how it is cut into
/// blobs depends on the order of the writes. Without a `%_content` the index is all that there is, and is compared as it is. Other
/// modules' tables, R-trees among them, are compared as any table.
struct FullTextShadows {
    private static let indexes: [String: [String]] = [
        "fts3": ["segments", "segdir"], "fts4": ["segments", "segdir", "docsize", "stat"],
        "fts5": ["data", "idx", "docsize", "config"],
    ]

    private var indexNames: Set<[UInt8]> = []
    private var shadowNames: Set<[UInt8]> = []

    init(of objects: [SchemaObject]) {
        let names = Set(objects.map(\.name.folded))
        for object in objects {
            guard let suffixes = object.module.flatMap({ Self.indexes[$0] }) else { continue }
            let stem = object.name.folded + [UInt8(ascii: "_")]
            let content = stem + Array("content".utf8)
            shadowNames.formUnion(suffixes.map { stem + Array($0.utf8) })
            shadowNames.insert(content)
            guard names.contains(content) else { continue }
            for suffix in suffixes { indexNames.insert(stem + Array(suffix.utf8)) }
        }
    }

    /// Whether a table holds nothing but what is in another.
    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }

    func isShadow(_ name: SQLName) -> Bool { shadowNames.contains(name.folded) }
}
