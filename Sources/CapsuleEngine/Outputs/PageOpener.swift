public import CapsuleCore
import CapsuleFileSystem

/// Shows a page in the user's browser.
public enum PageOpener {
    /// Whether somebody is there to see it: a terminal, and no CI system's job (which all set `CI`).
    public static var isAttended: Bool {
        let job = HostProcess.environment("CI") ?? []
        return HostProcess.isErrorTerminal && (job.isEmpty || job == Array("false".utf8))
    }

    /// Opens the page with the program that the system has for that, and does not wait for the browser.
    ///
    /// - Throws: if there is no such program, or it reports a failure at once.
    public static func open(_ page: HostPath) throws(CapsuleError) {
        // A full path is neither an option nor an address, whatever the name is.
        let path = ((try? RealPath.resolve(page)) ?? page).bytes
        #if os(macOS)
        let program = "open"
        let status = try run("open", [path])
        #else
        let program = "xdg-open"
        // Where no desktop runs, xdg-open is the browser until that ends, and the terminal may go before it.
        let script = "command -v xdg-open > /dev/null || exit 127; trap '' HUP; xdg-open \"$1\" < /dev/null > /dev/null 2>&1 &"
        let status = try run("/bin/sh", [Array("-c".utf8), Array(script.utf8), Array("sh".utf8), path])
        #endif
        guard status != 0 else { return }
        throw CapsuleError(
            status == 127
                ? "can't be opened: '\(program)' is not installed" : "can't be opened: '\(program)' failed (status \(status))",
            path: page, hint: "open it in a browser")
    }

    private static func run(_ program: String, _ arguments: [[UInt8]]) throws(CapsuleError) -> Int32 {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            try ChildProcess.run(HostPath(program), arguments)
        }
    }
}
