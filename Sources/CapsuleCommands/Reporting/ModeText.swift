import CapsuleCore

/// Modes as `ls -l` spells them: `drwxr-xr-x`, with `i` for the identity plist.
enum ModeText {
    static func bytes(of entry: TreeEntry) -> [UInt8] {
        let mode = entry.mode.rawValue
        var letters: [UInt8] = [letter(of: entry.kind)]
        let all = Array("rwxrwxrwx".utf8)
        for place in 0..<9 { letters.append(mode >> (8 - UInt16(place)) & 1 == 1 ? all[place] : UInt8(ascii: "-")) }
        mark(0o4000, at: 3, "s", "S", mode, &letters)
        mark(0o2000, at: 6, "s", "S", mode, &letters)
        mark(0o1000, at: 9, "t", "T", mode, &letters)
        return letters
    }

    private static func letter(of kind: EntryKind) -> UInt8 {
        switch kind {
        case .directory: UInt8(ascii: "d")
        case .file: UInt8(ascii: "-")
        case .link: UInt8(ascii: "l")
        case .identity: UInt8(ascii: "i")
        }
    }

    private static func mark(
        _ bit: UInt16, at place: Int, _ executable: Unicode.Scalar, _ plain: Unicode.Scalar, _ mode: UInt16,
        _ letters: inout [UInt8]
    ) {
        guard mode & bit != 0 else { return }
        letters[place] = UInt8(ascii: letters[place] == UInt8(ascii: "x") ? executable : plain)
    }
}
