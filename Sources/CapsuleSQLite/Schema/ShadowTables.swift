/// The tables in which virtual tables keep their data (sqlite.org/fts3.html, fts5.html, rtree.html, geopoly.html).
///
/// Of a full-text table, `%_content` holds the texts as they were given and is compared. All else is an index made of them, and
/// how it is cut into blobs depends on the order of the writes. Without a `%_content` the index is all that there is, and is
/// compared as it is. The tables of other modules, R-trees among them, are compared as any table.
struct ShadowTables {
    private static let fullTextIndexes: [String: [String]] = [
        "fts3": ["segments", "segdir"], "fts4": ["segments", "segdir", "docsize", "stat"],
        "fts5": ["data", "idx", "docsize", "config"],
    ]

    private static let others: [String: [String]] = {
        let tree = ["node", "rowid", "parent"]
        return ["rtree": tree, "rtree_i32": tree, "geopoly": tree]
    }()

    private var indexNames: Set<[UInt8]> = []
    private var fullTextNames: Set<[UInt8]> = []
    private var owners: [[UInt8]: SQLName] = [:]

    init(of objects: [SchemaObject]) {
        let names = Set(objects.map(\.name.folded))
        for object in objects {
            guard let module = object.module else { continue }
            let stem = object.name.folded + [UInt8(ascii: "_")]
            for suffix in Self.others[module] ?? [] { owners[stem + Array(suffix.utf8)] = object.name }
            guard let suffixes = Self.fullTextIndexes[module] else { continue }
            let indexes = suffixes.map { stem + Array($0.utf8) }
            let content = stem + Array("content".utf8)
            for name in indexes + [content] { owners[name] = object.name }
            fullTextNames.formUnion(indexes + [content])
            if names.contains(content) { indexNames.formUnion(indexes) }
        }
    }

    /// Whether a table holds nothing but what is in another.
    func isIndex(_ name: SQLName) -> Bool { indexNames.contains(name.folded) }

    /// Whether a table belongs to a full-text table.
    func isOfFullText(_ name: SQLName) -> Bool { fullTextNames.contains(name.folded) }

    /// The virtual table whose data a table holds.
    func owner(of name: SQLName) -> SQLName? { owners[name.folded] }
}
