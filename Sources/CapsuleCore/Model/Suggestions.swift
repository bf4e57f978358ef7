/// The words that a misspelt one may have been meant for.
///
/// Near is: the typed word begins the other one, or at most a third of its letters are wrong. A letter left out, added,
/// replaced, or swapped with its neighbor counts as one (Damerau and Levenshtein's distance, in the form that touches no
/// letter twice).
package struct Suggestions {
    /// Nearest first, then in alphabetical order; at most three.
    package let words: [String]

    /// A word longer than this is no slip of the fingers, and its distance would cost the square of its length.
    private static let longest = 64

    package init(for typed: String, among candidates: [String]) {
        guard typed.utf8.count <= Self.longest else {
            words = []
            return
        }
        let limit = min(3, max(1, typed.count / 3))
        let near = candidates.compactMap { candidate -> (distance: Int, word: String)? in
            if typed.count >= 2, candidate.hasPrefix(typed) { return (0, candidate) }
            // Each letter too many or too few is wrong.
            guard candidate.utf8.count <= Self.longest * 4, abs(candidate.count - typed.count) <= limit else { return nil }
            let distance = Self.distance(Array(typed.lowercased()), Array(candidate.lowercased()))
            return distance <= limit && distance < candidate.count ? (distance, candidate) : nil
        }
        words = near.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(3).map(\.word)
    }

    /// How many letters differ.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }

    /// `did you mean 'a' or 'b'?`, or nil if nothing is near.
    package var hint: String? { Self.hint(for: words) }

    /// The same of words that are known already.
    package static func hint(for words: [String]) -> String? {
        words.isEmpty ? nil : "did you mean \(alternatives(words.map { "'\($0)'" }))?"
    }

    /// `a, b or c`
    package static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
