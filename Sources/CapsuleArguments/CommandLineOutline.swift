/// The places of a command line's parts among its arguments. A caller uses them to complete the line before it is parsed.
package struct CommandLineOutline: Sendable {
    /// An argument, or the part of one behind a flag's name, that names a file or a container.
    package struct Name: Sendable {
        /// The number of the argument.
        package let argument: Int
        /// The place in the argument where the name begins.
        package let start: Int

        package init(argument: Int, start: Int) {
            self.argument = argument
            self.start = start
        }
    }

    package let form: CommandForm
    /// The positionals before `--`, by the numbers of their arguments.
    package let positionals: [Int]
    /// The values of flags that are containers.
    package let containers: [Name]
    /// The number of the argument `--`; nil if there is none.
    package let end: Int?
    private let flags: Set<ArgumentID>

    package func has<Value>(_ flag: Flag<Value>) -> Bool { flags.contains(flag.id) }

    init?(_ scan: CommandLineScan) {
        guard let form = scan.form else { return nil }
        self.form = form
        positionals = scan.positionalArguments
        containers = scan.containerArguments
        end = scan.endArgument
        flags = Set(scan.values.keys)
    }
}

extension CommandLineParser {
    /// - Returns: nil for a command line without a verb, for one that asks for help, and for one that can't be parsed.
    package func outline(_ arguments: [[UInt8]]) -> CommandLineOutline? {
        var scan = CommandLineScan(table: table, arguments: arguments)
        do throws(UsageError) {
            while let argument = scan.next() {
                if try scan.parse(argument) != nil { return nil }
            }
        } catch {
            return nil
        }
        return CommandLineOutline(scan)
    }
}
