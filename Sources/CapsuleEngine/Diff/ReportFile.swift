public import CapsuleCore
import CapsuleSystem
import CapsuleHashing
import CapsulePropertyList

/// Writes reports into files.
public enum ReportFile {
    /// Writes a report, which may take the place of one of its form that Capsule wrote; `-` is standard output.
    public static func write(
        _ bytes: [UInt8], as form: ReportForm, to path: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        try OutputFile.write(bytes, to: path, as: .report(form), replacing: replacing)
    }
}

/// What an HTML report lets a browser do with it (W3C, Content Security Policy Level 3).
public enum PagePolicy {
    /// The policy of a page that shows its own pictures, uses one style and runs one script, and loads nothing.
    ///
    /// - Parameters:
    ///   - style: the text of the page's `style`.
    ///   - script: the text of its `script`.
    public static func text(style: [UInt8], script: [UInt8]) -> String {
        "default-src 'none'; img-src data:; style-src '\(source(style))'; script-src '\(source(script))'; "
            + "base-uri 'none'; form-action 'none'"
    }

    /// A text by its digest (section 2.3.1).
    private static func source(_ text: [UInt8]) -> String {
        "sha256-" + String(decoding: Base64.encode(SHA256Hasher.digest(of: text).withBytes { Array($0) }), as: UTF8.self)
    }
}

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
