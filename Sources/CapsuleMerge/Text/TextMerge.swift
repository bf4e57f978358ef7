package import CapsuleCore
import CapsulePropertyList

/// The merge of three texts: lines by diff3, the encoding as a whole (docs/merge.md).
///
/// A carriage return is a character of its line. A conflict about the encoding comes before those about lines, which are in order.
package struct TextMerge: Sendable {
    /// The encoding of a text's characters, with or without a byte order mark.
    private struct Encoding: Hashable {
        let encoding: TextEncoding
        let hasMark: Bool

        init(_ text: TextContent) {
            encoding = text.encoding
            hasMark = text.hasMark
        }

        func bytes(of utf8: [UInt8]) -> [UInt8] { encoding.bytes(of: utf8, hasMark: hasMark) }

        /// Returns `utf-8` and the like; with `-bom` if another text has the same encoding without the mark.
        func name(among others: [Encoding]) -> String {
            let isMarked = hasMark && others.contains { $0.encoding == encoding && !$0.hasMark }
            return isMarked ? encoding.rawValue + "-bom" : encoding.rawValue
        }
    }

    private let lines: LineMerge
    private let path: RelativePath?
    private let encodings: (base: Encoding?, ours: Encoding, theirs: Encoding)
    /// The encoding of the result; ours as long as it is in conflict.
    private var encoding: Encoding
    private var isEncodingOpen: Bool
    /// The decisions on the conflicts about lines; nil for open ones.
    private var taken: [Resolution?]

    /// - Parameters:
    ///   - base: the base; nil if both sides added the text. The common start and end are then kept, and the rest is in conflict.
    package init(base: TextContent?, ours: TextContent, theirs: TextContent, path: RelativePath? = nil) {
        self.path = path
        lines = LineMerge(base: base, ours: ours, theirs: theirs)
        encodings = (base.map { Encoding($0) }, Encoding(ours), Encoding(theirs))
        switch ModeMerge(base: encodings.base, ours: encodings.ours, theirs: encodings.theirs) {
        case .value(let encoding): (self.encoding, isEncodingOpen) = (encoding, false)
        case .conflict: (encoding, isEncodingOpen) = (encodings.ours, true)
        }
        taken = lines.conflicts.map { _ in nil }
    }

    /// True if no conflict is open. Before ``merge(_:)``, all conflicts are open.
    package var isClean: Bool { !isEncodingOpen && !taken.contains { $0 == nil } }

    /// - Returns: the merged text, with ours where a conflict is open.
    package mutating func merge(_ decisions: inout MergeDecisions) -> [UInt8] {
        if case .conflict = ModeMerge(base: encodings.base, ours: encodings.ours, theirs: encodings.theirs) {
            resolveEncoding(&decisions)
        }
        for (number, part) in lines.conflicts.enumerated() {
            var conflict = Conflict(
                .text, path: path, base: lines.base.map { _ in Self.string(lines.base(part)) },
                ours: Self.string(lines.ours.lines(part.ours)), theirs: Self.string(lines.theirs.lines(part.theirs)),
                reason: lines.base == nil ? "both added" : "edits overlap")
            conflict.range = part.base
            taken[number] = decisions.resolve(conflict) { resolution in
                guard case .value(let value) = resolution else { return true }
                return value.string != nil
            }
        }
        return encoding.bytes(of: lines.merged { number, part in resolved(number, part) ?? lines.ours.lines(part.ours) })
    }

    /// Returns the merged text with a block of marks for each open conflict about lines, in the encoding of the result. A conflict
    /// about the encoding is not shown.
    ///
    /// - Parameters:
    ///   - base: the label of the base's mark; nil leaves out the base's lines.
    package func marked(size: Int = 7, ours: String, base: String?, theirs: String) -> [UInt8] {
        let labels = MergeLabels(ours: ours, base: base, theirs: theirs)
        return encoding.bytes(of: lines.marked(size: size, labels: labels) { number, part in resolved(number, part) })
    }

    private static func string(_ lines: ArraySlice<UInt8>) -> PlistValue {
        .string(PlistString(String(decoding: lines, as: UTF8.self)))
    }

    private func resolved(_ number: Int, _ part: SequenceMerge.Hunk) -> ArraySlice<UInt8>? {
        switch taken[number] {
        case .ours: lines.ours.lines(part.ours)
        case .theirs: lines.theirs.lines(part.theirs)
        case .base: lines.base(part)
        case .absent: []
        case .value(let value): value.string.map { ArraySlice($0.utf8) }
        case nil: nil
        }
    }

    private mutating func resolveEncoding(_ decisions: inout MergeDecisions) {
        let (base, ours, theirs) = encodings
        let all = [base, ours, theirs].compactMap { $0 }
        func name(_ encoding: Encoding) -> PlistValue { .string(PlistString(encoding.name(among: all))) }
        let conflict = Conflict(
            .encoding, path: path, base: base.map { name($0) }, ours: name(ours), theirs: name(theirs),
            reason: base == nil ? "both added" : "both changed")
        func chosen(_ resolution: Resolution) -> Encoding? {
            switch resolution {
            case .ours: ours
            case .theirs: theirs
            case .base: base
            case .absent: nil
            case .value(let value): all.first { name($0) == value }
            }
        }
        let resolution = decisions.resolve(conflict) { chosen($0) != nil }
        encoding = resolution.flatMap { chosen($0) } ?? ours
        isEncodingOpen = resolution == nil
    }
}

/// The merge of a property of a whole file, which can't be mixed. The side that changed it wins, and two different changes are a
/// conflict.
enum ModeMerge<Value: Hashable> {
    case value(Value)
    case conflict

    init(base: Value?, ours: Value, theirs: Value) {
        self =
            if ours == theirs || theirs == base {
                .value(ours)
            } else if ours == base {
                .value(theirs)
            } else {
                .conflict
            }
    }
}
