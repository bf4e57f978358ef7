package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// The content security policy of an HTML report (W3C, Content Security Policy Level 3).
package enum PagePolicy {
    /// Returns the policy of a page that shows its own pictures, uses one style and runs one script, and loads nothing.
    package static func text(style: [UInt8], script: [UInt8]) -> String {
        "default-src 'none'; img-src data:; style-src '\(source(style))'; script-src '\(source(script))'; "
            + "base-uri 'none'; form-action 'none'"
    }

    /// Returns the source expression for a text, which is its digest (section 2.3.1).
    private static func source(_ text: [UInt8]) -> String {
        "sha256-" + String(decoding: Base64.encode(SHA256Hasher.digest(of: text).withBytes { Array($0) }), as: UTF8.self)
    }
}

/// Shows a page in the user's browser.
package enum PageOpener {
    /// True if a user is there to see the page: standard error is a terminal, and this is not a job of a CI system (all of them set
    /// `CI`).
    package static func isAttended(on process: HostProcess) -> Bool {
        let job = process.environment("CI") ?? []
        return process.errors.isTerminal && (job.isEmpty || job == Array("false".utf8))
    }

    /// Returns a new file in the directory for temporary files, for the owner only. The browser reads it later, so it stays.
    package static func temporaryPage() -> OutputFile {
        let name = "capsule-\(String(UInt64.random(in: .min ... .max), radix: 36)).html"
        return OutputFile(SpoolFile.temporaryDirectory.appending(Array(name.utf8)), replaces: false).forOwner
    }

    /// Opens the page with the system's program for this, without waiting for the browser.
    package static func open(_ page: HostPath) throws(CapsuleError) {
        // A full path is not taken for an option or an address, whatever the name is.
        let path = ((try? RealPath.resolve(page)) ?? page).bytes
        #if os(macOS)
        let program = "open"
        let status = try run("open", [path])
        #else
        let program = "xdg-open"
        // Without a desktop, xdg-open runs until the browser ends, and the terminal may close before that.
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
        try ChildProcess.run(HostPath(program), arguments).status
    }
}
