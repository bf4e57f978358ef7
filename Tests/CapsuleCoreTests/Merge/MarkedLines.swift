/// The texts that result from a text with blocks of marks if one side is taken everywhere.
struct MarkedLines {
    enum Side { case ours, base, theirs }

    let blocks: Int
    private let sides: [Side: [UInt8]]

    /// Reads UTF-8 with marks of a size; nil if they do not nest as git writes them, or are not lines of their own.
    init?(_ text: [UInt8], size: Int = 7) {
        var sides: [Side: [UInt8]] = [.ours: [], .base: [], .theirs: []]
        var current: Side?
        var blocks = 0
        func isMark(_ line: ArraySlice<UInt8>, _ character: Character) -> Bool {
            let mark = Array(String(repeating: character, count: size).utf8)
            guard line.starts(with: mark) else { return false }
            let rest = line.dropFirst(size)
            return rest.first == 0x20 || rest.first == 0x0A || rest.first == 0x0D
        }
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            if isMark(line, "<") {
                guard current == nil else { return nil }
                current = .ours
            } else if isMark(line, "|") {
                guard current == .ours else { return nil }
                current = .base
            } else if isMark(line, "="), current != nil {
                guard current != .theirs else { return nil }
                current = .theirs
            } else if isMark(line, ">") {
                guard current == .theirs else { return nil }
                current = nil
                blocks += 1
            } else if let current {
                sides[current, default: []] += line
            } else {
                for side in [Side.ours, .base, .theirs] { sides[side, default: []] += line }
            }
        }
        guard current == nil else { return nil }
        self.blocks = blocks
        self.sides = sides
    }

    subscript(_ side: Side) -> [UInt8] { sides[side] ?? [] }
}
