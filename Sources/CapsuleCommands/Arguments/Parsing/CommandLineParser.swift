/// Reads a command line by a table.
///
/// Flags follow GNU: long and short, `--flag=value` and `--flag value`, `-ofile` and `-o file`, switches bundled as in
/// `-fv`, flags anywhere, `--` ends them, `-` is no flag. A value is taken as it stands even if it begins with a dash. A
/// flag that is not repeatable may be given again: the last value wins. Names are never abbreviated, since a script that
/// relies on an abbreviation breaks when a flag is added; the nearest names are suggested instead.
struct CommandLineParser: Sendable {
    let table: CommandTable

    init(_ table: CommandTable = .capsule) {
        self.table = table
    }

    /// What `arguments` ask for; they are raw bytes, without the program's name.
    ///
    /// Help is found where it stands: whatever follows it is not looked at, so that help can be had for a line that is not
    /// finished yet.
    func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Invocation {
        var scan = CommandLineScan(table: table, arguments: arguments)
        while let argument = scan.next() {
            if let request = try scan.take(argument) { return request }
        }
        return try scan.finish()
    }

    /// Whether the arguments ask for a JSON report, so that an error is printed as JSON too. The arguments can be invalid. False for
    /// commands that write data to standard output.
    func wantsJSON(_ arguments: [[UInt8]]) -> Bool {
        var scan = CommandLineScan(table: table, arguments: arguments)
        while let argument = scan.next() {
            // What is wrong is passed over, as it may come before '--json'.
            if let request = try? scan.take(argument), case .help = request { return false }
        }
        return scan.values[.flag(.json)] != nil && !scan.givesDataToStandardOutput
    }
}
