import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// A program that keeps passwords, such as `docker-credential-osxkeychain` (github.com/docker/docker-credential-helpers).
struct CredentialHelper: Sendable {
    let program: String
    /// The file that names the program.
    let file: HostPath

    private static let answerLimit = 1 << 20
    /// The text for "none" in the answer of every helper.
    private static let nothing = "credentials not found in native keychain"
    /// The name of the user if the secret is an identity token.
    private static let tokenUser = "<token>"

    /// - Parameter suffix: the name of the program without `docker-credential-`.
    /// - Throws: ``CapsuleError`` if no program can have that name.
    init(suffix: String, file: HostPath) throws(CapsuleError) {
        let isName = suffix.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, (1...64).contains(suffix.utf8.count) else {
            throw CapsuleError("'\(QuotedBytes(Array(suffix.utf8)).text)' is not the name of a credential helper", path: file)
        }
        program = "docker-credential-\(suffix)"
        self.file = file
    }

    /// Asks the program for the credential of a server.
    /// - Parameters:
    ///   - path: the value of PATH.
    ///   - seconds: the time after which the program is stopped.
    /// - Returns: nil if it has none.
    func credential(for server: String, path: [UInt8], seconds: Double) throws(CapsuleError) -> Credential? {
        guard let found = ProgramPath.find(program, in: path) else {
            throw CapsuleError(
                .notFound, "names the credential helper \(program), which is not in PATH", path: file,
                hint: "install \(program), or remove its name from the file")
        }
        let outcome: ChildProcess.Outcome
        do throws(CapsuleError) {
            outcome = try ChildProcess.output(
                of: found, [Array("get".utf8)], input: Array("\(server)\n".utf8), limit: Self.answerLimit, seconds: seconds)
        } catch {
            if error.code == .interrupted { throw error }
            throw failed(error.message, error.code)
        }
        guard outcome.status == 0 else {
            let output = outcome.output.isEmpty ? outcome.errors : outcome.output
            let said = QuotedBytes(Array(output.prefix { $0 != 0x0A }.prefix(200))).text
            if said.contains(Self.nothing) { return nil }
            throw failed(said.isEmpty ? "failed with status \(outcome.status)" : "failed: \(said)")
        }
        guard let answer = try? ReceivedJSON.object(outcome.output, limit: Self.answerLimit, isLenient: true, path: file) else {
            throw failed("gave an answer that is not JSON")
        }
        guard let user = answer.text("Username"), let secret = answer.text("Secret") else {
            throw failed("gave an answer without a user name and a secret")
        }
        if secret.isEmpty { return nil }
        return user == Self.tokenUser ? .identityToken(secret) : .password(user: user, password: secret)
    }

    private func failed(_ reason: String, _ code: CapsuleError.Code = .failure) -> CapsuleError {
        CapsuleError(code, "names the credential helper \(program), which \(reason)", path: file)
    }
}
