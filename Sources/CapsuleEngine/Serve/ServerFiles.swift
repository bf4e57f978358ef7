package import CapsuleCore
import CapsuleSystem
import Synchronization

/// The files of a server: the one that says where it listens, and the pages that its commands write.
package final class ServerFiles: Sendable {
    private static let longestPage: UInt64 = 32 << 20

    /// The file with the port and the token, as an absolute path.
    package let portFile: HostPath
    private let scratch: ScratchDirectory
    private let pages = Atomic(0)

    /// - Parameter portFile: nil for one in the private temporary directory.
    package init(portFile: HostPath?) throws(CapsuleError) {
        scratch = try ScratchDirectory()
        guard let portFile else {
            self.portFile = scratch.path.appending(Array("port.json".utf8))
            return
        }
        guard let directory = try RealPath.resolve(portFile.directory) else {
            throw CapsuleError(.notFound, "no such directory", path: portFile.directory)
        }
        self.portFile = directory.appending(portFile.name)
    }

    /// Deletes all of them.
    package func discard() {
        OutputFile.remove(portFile)
        scratch.remove()
    }

    /// Returns the path for a new page.
    package func newPage() -> HostPath {
        let number = pages.add(1, ordering: .relaxed).newValue
        return scratch.path.appending(Array("page-\(number).html".utf8))
    }

    /// Reads a page and deletes it.
    /// - Returns: nil if there is none, as after an error.
    package func take(_ page: HostPath) throws(CapsuleError) -> [UInt8]? {
        defer { OutputFile.remove(page) }
        do throws(CapsuleError) {
            return try RootDirectory(scratch.path).readSmallFile(named: page.name, limit: Self.longestPage).bytes
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}

extension HostProcess {
    /// The most bytes of a command's report, and of its messages.
    private static let longestReport = 64 << 20

    /// Makes a directory the current one, for relative paths and for programs that are started.
    package static func enter(_ directory: HostPath) throws(CapsuleError) { try Host.enter(directory) }

    /// Runs this program with other arguments, to its end.
    /// - Parameter variables: environment variables that it gets besides ours, or in place of them.
    /// - Returns: its exit status, and what it wrote to standard output and standard error.
    package static func runAgain(
        _ arguments: [[UInt8]], with variables: [String: [UInt8]]
    ) throws(CapsuleError) -> (status: Int32, output: [UInt8], errors: [UInt8]) {
        guard let program = ProgramPath.own else { throw CapsuleError("can't find the program's own file") }
        let ran = try ChildProcess.output(of: program, arguments, limit: longestReport, with: variables)
        return (ran.status, ran.output, ran.errors)
    }
}
