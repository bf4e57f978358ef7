import CapsuleCore
import CapsuleFileSystem

/// The commands that git is told to run, as a shell reads them.
///
/// Each does without this program where it can't be run, as in a graphical client with another PATH: a diff then shows the file as
/// it is, and a merge is git's own, so that a side is never lost without a word.
struct GitCommandLine {
    /// This program, as a shell finds it.
    let program: [UInt8]

    /// - Parameter program: quoted already.
    init(program: [UInt8]) {
        self.program = program
    }

    /// The program that is running: by its name alone, if that is what PATH leads to, so that an update elsewhere is found.
    static func current() throws(CapsuleError) -> GitCommandLine {
        guard let own = ProgramPath.own else {
            throw CapsuleError("can't find the path of this program")
        }
        if let found = ProgramPath.find("capsule"), (try? RealPath.resolve(found)) == own {
            return GitCommandLine(program: Array("capsule".utf8))
        }
        return GitCommandLine(program: quoted(own.bytes))
    }

    /// `diff.capsule.textconv`; git appends the file's name as an argument.
    var textconv: [UInt8] {
        Array("f() { ".utf8) + program + Array(#" git textconv -- "$1" || cat -- "$1"; }; f"#.utf8)
    }

    /// `merge.capsule.driver`; git puts names in the place of `%O` and the like (gitattributes(5)).
    ///
    /// A shell's status for a command that can't be run is 126 or 127, and from 128 on for one that a signal ended; 255 is ours.
    var driver: [UInt8] {
        // A percent sign would be taken for a placeholder.
        program.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }
            + Array(
                (" git merge-driver -- %O %A %B %L %P; s=$?; if [ $s -gt 125 ] && [ $s -ne 255 ]; then "
                    + "git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B; s=$?; fi; exit $s").utf8)
    }

    /// A word of a shell's: as it is, whatever is in it.
    static func quoted(_ word: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array(#"'\''"#.utf8) : [$0] } + [quote]
    }
}
