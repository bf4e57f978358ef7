import CapsuleCore
import CapsuleEngine

/// Clauses and rules that match nothing: a warning for each of the first ones, or with `--strict-patterns` one error for all.
struct UnmatchedWarnings {
    private struct Item {
        /// What it is, where it stands alone.
        let text: String
        /// The same below ``summary``.
        let detail: String
        let hint: String?
    }

    /// Items that are listed one by one.
    private static let listed = 10

    private let file: HostPath
    private let items: [Item]
    /// What is said of all, if there are several.
    private let summary: String
    /// What is said of those that are not listed.
    private let more: String
    /// What to do about any of them.
    private let hint: String?

    /// Clauses of an expectation that nothing can match.
    init(_ clauses: [UnmatchableClause], in file: HostPath) {
        self.file = file
        items = clauses.map { clause in
            let text = "\(clause.rule.name): \(clause.text)"
            return Item(text: text, detail: text, hint: clause.hint)
        }
        summary = "\(clauses.count) clauses can't match anything"
        more = Self.more(items, "more clause", "more clauses") + " can't match anything"
        hint = nil
    }

    /// Noise rules that decide about nothing.
    init(_ rules: [UnusedRule], in file: HostPath) {
        self.file = file
        items = rules.map { Item(text: $0.text, detail: "rule \($0.number): \($0.rule.match)", hint: $0.hint) }
        summary = "\(rules.count) rules are unused"
        more = Self.more(items, "more rule is", "more rules are") + " unused"
        hint = "no change matches \(rules.count == 1 ? "it" : "them"), or a later rule also matches and wins"
    }

    private static func more(_ items: [Item], _ one: String, _ several: String) -> String {
        Quantity.counted(UInt64(items.count - min(items.count, listed)), one, several)
    }

    /// Warns of them.
    ///
    /// - Throws: instead, if they are errors: the caller has written nothing yet.
    func report(_ diagnostics: Diagnostics, areErrors: Bool) throws(CapsuleError) {
        guard let first = items.first else { return }
        let isMore = items.count > Self.listed
        if areErrors {
            guard items.count > 1 else { throw CapsuleError(first.text, path: file, hint: first.hint ?? hint) }
            var error = CapsuleError(summary, path: file, hint: hint)
            error.details = items.prefix(Self.listed).map(\.detail) + (isMore ? [more] : [])
            throw error
        }
        let name = QuotedBytes(file.bytes).text
        for item in items.prefix(Self.listed) { diagnostics.warning("\(name): \(item.text)", hint: item.hint) }
        if isMore { diagnostics.warning("\(name): \(more)") }
        if let hint, items.count > 1 || first.hint == nil { diagnostics.hint(hint) }
    }
}
