import CapsuleCore
import CapsulePropertyList

/// A clause of an expectation that no change can match, because neither side has something that it names.
package struct UnmatchableClause: Hashable, Sendable {
    package enum Subject: String, Hashable, Sendable {
        case path, pointer, table, column
    }

    package let rule: ExpectationFinding.Rule
    package let subject: Subject
    /// The missing name or pattern, as the clause has it.
    package let name: String
    /// The names that the clause may have meant, the nearest first.
    package let suggestions: [String]

    /// The problem on one line: `no table 'Notee' in **/B.sqlite on either side`.
    package var text: String {
        let match = rule.clause.match
        let path = match.text(of: "Path")
        switch subject {
        case .path: return "no path matches '\(name)' on either side"
        case .pointer: return "no value at '\(name)'" + (path.map { " in \($0)" } ?? "") + " on either side"
        case .table: return "no table '\(name)'" + (path.map { " in \($0)" } ?? "") + " on either side"
        case .column:
            let table = match.text(of: "Table")
            let place = [table, path].compactMap { $0 }.joined(separator: " of ")
            return "no column '\(name)'" + (place.isEmpty ? "" : " in \(place)") + " on either side"
        }
    }

    package var hint: String? {
        if subject == .path, let inside = ContainerNames.insideAppData(Array(name.utf8)), suggestions == [inside] {
            return ContainerNames.hint(forPathInside: inside)
        }
        let isAlone = subject == .pointer && suggestions.isEmpty
        return isAlone ? "add 'Kind': 'added' if a run may add it" : Suggestions.hint(for: suggestions)
    }
}

extension ChangeMatch {
    func text(of key: String) -> String? {
        entries.first { $0.key.string == key }?.value.string?.string
    }
}
