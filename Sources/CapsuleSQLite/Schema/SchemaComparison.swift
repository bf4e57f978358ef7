import CapsuleCore

/// Compares two schemas by kind and name, then what of a database's header has a meaning for its app.
struct SchemaComparison {
    private let old: Database
    private let new: Database

    private let models: [CoreDataSchema]

    /// - Parameter models: what the databases are as Core Data's stores, the newer one first.
    init(_ old: Database, _ new: Database, models: [CoreDataSchema] = []) {
        self.old = old
        self.new = new
        self.models = models
    }

    func run(_ report: inout DifferenceReport) throws(DatabaseError) {
        for kind in SchemaObject.Kind.allCases { compare(kind, &report) }
        try comparePragmas(&report)
    }

    private func compare(_ kind: SchemaObject.Kind, _ report: inout DifferenceReport) {
        let olds = Self.byName(old.schema.objects, kind)
        let news = Self.byName(new.schema.objects, kind)
        for name in Set(olds.keys).union(news.keys).sorted() {
            let old = olds[name]
            let new = news[name]
            if let old, let new, old == new || SchemaText.normalized(old) == SchemaText.normalized(new) { continue }
            let operation: ChangeOperation = old == nil ? .added : new == nil ? .deleted : .modified
            var change = SchemaChange(
                operation, object: kind.rawValue, name: name.text, old: old.map { String(decoding: $0, as: UTF8.self) },
                new: new.map { String(decoding: $0, as: UTF8.self) })
            if kind == .table { change.entity = models.lazy.compactMap { $0.entity(ofTable: name) }.first }
            guard report.hasRoom else {
                report.noteFull()
                report.pass(.schema(change))
                continue
            }
            report.add(.schema(change), cost: 128 + (old?.count ?? 0) + (new?.count ?? 0))
        }
    }

    private static func byName(_ objects: [SchemaObject], _ kind: SchemaObject.Kind) -> [SQLName: [UInt8]] {
        Dictionary(objects.filter { $0.kind == kind }.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    }

    private func comparePragmas(_ report: inout DifferenceReport) throws(DatabaseError) {
        if old.encoding != new.encoding { add("encoding", old.encoding.rawValue, new.encoding.rawValue, &report) }
        for name in ["application_id", "user_version"] {
            let values = (
                try old.connection.integer("PRAGMA \(name)") ?? 0, try new.connection.integer("PRAGMA \(name)") ?? 0
            )
            if values.0 != values.1 { add(name, String(values.0), String(values.1), &report) }
        }
    }

    private func add(_ name: String, _ old: String, _ new: String, _ report: inout DifferenceReport) {
        report.add(.schema(SchemaChange(.modified, object: "pragma", name: name, old: old, new: new)), cost: 128)
    }
}
