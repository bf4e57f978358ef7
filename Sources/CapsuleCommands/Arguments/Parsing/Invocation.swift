/// What a command line asks for.
enum Invocation: Sendable {
    /// A verb, to be run.
    case run(ParsedCommand)
    /// Help, to be printed on standard output.
    case help(HelpRequest)
    /// The program's version, to be printed on standard output.
    case version
    /// No verb at all: the short help of `capsule` goes to standard error, with the status of a usage error.
    case nothing
}
