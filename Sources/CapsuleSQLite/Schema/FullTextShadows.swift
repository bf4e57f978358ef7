/// The tables in which FTS3, FTS4 and FTS5 keep what a virtual table shows (sqlite.org/fts3.html, fts5.html).
///
/// `%_content` holds the texts as they were given and is compared; all else is an index made of them, and how it is cut into
/// blobs depends on the order of the writes. Without a `%_content` nothing of such a table is compared: its texts stand elsewhere
/// or nowhere. Other modules' tables, R-trees among them, are compared as any table.
struct FullTextShadows {
    private static let indexes: [String: [String]] = [
        "fts3": ["segments", "segdir"], "fts4": ["segments", "segdir", "docsize", "stat"],
        "fts5": ["data", "idx", "docsize", "config"],
    ]

    private var indexNames: Set<[UInt8]> = []
    private var contentNames: Set<[UInt8]> = []

    init(of objects: [SchemaObject]) {
        for object in objects {
            guard let suffixes = object.module.flatMap({ Self.indexes[$0] }) else { continue }
            let stem = object.name.folded + [UInt8(ascii: "_")]
            for suffix in suffixes { indexNames.insert(stem + Array(suffix.utf8)) }
            contentNames.insert(stem + Array("content".utf8))
        }
    }

    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }

    func isShadow(_ name: SQLName) -> Bool { isIndex(name) || contentNames.contains(name.folded) }
}
