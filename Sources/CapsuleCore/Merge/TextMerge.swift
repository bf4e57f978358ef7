import CapsulePropertyList

/// The merge of three texts: lines by diff3, the encoding as a whole (docs/merge.md).
///
/// A carriage return is a character of its line. Conflicts are one of the encoding, if any, and then those of lines, in order.
public struct TextMerge: Sendable {
    /// What a text's characters are written in.
    private struct Encoding: Hashable {
        let encoding: TextEncoding
        let hasMark: Bool

        init(_ text: TextContent) {
            encoding = text.encoding
            hasMark = text.hasMark
        }

        func bytes(of utf8: [UInt8]) -> [UInt8] { encoding.bytes(of: utf8, hasMark: hasMark) }

        /// `utf-8` and the like; `-bom` where another one lacks the mark.
        func name(among others: [Encoding]) -> String {
            let isMarked = hasMark && others.contains { $0.encoding == encoding && !$0.hasMark }
            return isMarked ? encoding.rawValue + "-bom" : encoding.rawValue
        }
    }

    private let lines: LineMerge
    private let path: RelativePath?
    private let encodings: (base: Encoding?, ours: Encoding, theirs: Encoding)
    /// The encoding of the result; ours as long as it is in question.
    private var encoding: Encoding
    private var isEncodingOpen: Bool
    /// What was decided of the lines in question.
    private var taken: [Resolution?]

    /// A merge of texts.
    ///
    /// - Parameters:
    ///   - base: nil where both sides added the text. What both begin and end with is common then, the rest in question.
    ///   - ours: the one side.
    ///   - theirs: the other side.
    ///   - path: for the conflicts.
    public init(base: TextContent?, ours: TextContent, theirs: TextContent, path: RelativePath? = nil) {
        self.path = path
        lines = LineMerge(base: base, ours: ours, theirs: theirs)
        encodings = (base.map { Encoding($0) }, Encoding(ours), Encoding(theirs))
        switch ModeMerge(base: encodings.base, ours: encodings.ours, theirs: encodings.theirs) {
        case .value(let encoding): (self.encoding, isEncodingOpen) = (encoding, false)
        case .conflict: (encoding, isEncodingOpen) = (encodings.ours, true)
        }
        taken = lines.conflicts.map { _ in nil }
    }

    /// Whether nothing is in question that is not decided. Before ``merge(_:)`` nothing is.
    public var isClean: Bool { !isEncodingOpen && !taken.contains { $0 == nil } }

    /// Settles the conflicts.
    ///
    /// - Returns: the merged text, with ours where a conflict is open.
    public mutating func merge(_ decisions: inout MergeDecisions) -> [UInt8] {
        if case .conflict = ModeMerge(base: encodings.base, ours: encodings.ours, theirs: encodings.theirs) {
            settleEncoding(&decisions)
        }
        for (number, part) in lines.conflicts.enumerated() {
            var conflict = Conflict(
                .text, path: path, base: lines.base.map { _ in Self.string(lines.base(part)) },
                ours: Self.string(lines.ours.lines(part.ours)), theirs: Self.string(lines.theirs.lines(part.theirs)),
                reason: lines.base == nil ? "both added" : "edits overlap")
            conflict.range = part.base
            taken[number] = decisions.settle(conflict) { resolution in
                guard case .value(let value) = resolution else { return true }
                return value.string != nil
            }
        }
        return encoding.bytes(of: lines.merged { number, part in resolved(number, part) ?? lines.ours.lines(part.ours) })
    }

    /// The merged text with a block of marks for each open conflict of lines, in the encoding of the result; an encoding in question
    /// does not show.
    ///
    /// - Parameters:
    ///   - size: length of a mark.
    ///   - ours: what stands behind the first mark.
    ///   - base: nil leaves out the base's lines.
    ///   - theirs: what stands behind the last mark.
    public func marked(size: Int = 7, ours: String, base: String?, theirs: String) -> [UInt8] {
        let labels = MergeLabels(ours: ours, base: base, theirs: theirs)
        return encoding.bytes(of: lines.marked(size: size, labels: labels) { number, part in resolved(number, part) })
    }

    private static func string(_ lines: ArraySlice<UInt8>) -> PlistValue {
        .string(PlistString(String(decoding: lines, as: UTF8.self)))
    }

    /// The lines that were taken for a conflict.
    private func resolved(_ number: Int, _ part: SequenceMerge.Part) -> ArraySlice<UInt8>? {
        switch taken[number] {
        case .ours: lines.ours.lines(part.ours)
        case .theirs: lines.theirs.lines(part.theirs)
        case .base: lines.base(part)
        case .absent: []
        case .value(let value): value.string.map { ArraySlice($0.utf8) }
        case nil: nil
        }
    }

    // MARK: The encoding

    private mutating func settleEncoding(_ decisions: inout MergeDecisions) {
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
        let resolution = decisions.settle(conflict) { chosen($0) != nil }
        encoding = resolution.flatMap { chosen($0) } ?? ours
        isEncodingOpen = resolution == nil
    }
}

/// A property of a whole file that can't be mixed: the side that changed it wins, and two changes are a conflict.
enum ModeMerge<Value: Hashable> {
    /// What to take.
    case value(Value)
    /// Both changed it, differently.
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
