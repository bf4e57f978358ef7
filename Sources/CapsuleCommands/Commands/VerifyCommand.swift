import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// `capsule verify`
struct VerifyCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        let (path, signatures) = try signatureCheck()
        let verifier = Verifier(
            isStrict: command[.strict], signatures: signatures, jobs: try context.jobs(), progress: meter)
        guard let outcome = try verify(path, verifier) else { return .failure }
        meter?.clear()
        let file = RemoteName.shown(path.bytes)
        let name = QuotedBytes(file).text
        for warning in outcome.warnings { context.diagnostics.warning("\(name): \(warning)", hint: outcome.hint) }
        if !command[.quiet] || command[.json] || !outcome.isWhole {
            try context.write(context.reporter.verified(outcome, as: file))
        }
        if outcome.isWhole { return .success }
        if outcome.signatures.isEmpty {
            context.diagnostics.error("\(name): damaged: \(Self.total(of: outcome))", hint: outcome.hint)
        } else {
            let versions = VersionNumbers(outcome.findings.compactMap(\.version))
            context.diagnostics.error("\(name): no good signature of \(versions)", hint: outcome.hint)
        }
        return .failure
    }

    /// Returns the file, and the check of its signatures if there is a list of signers. Only then one version can be named.
    private func signatureCheck() throws(CapsuleError) -> (file: HostPath, check: SignatureCheck?) {
        let command = context.command
        let path = HostPath(command[.file])
        guard let signers = command[.signers] else { return (path, nil) }
        try RemoteName.refuse(command[.file])
        let name = try FileProbe.exists(path) ? nil : VersionedName(command[.file])
        let check = SignatureCheck(
            signers: HostPath(signers), revoked: command[.revokedKeys].map(HostPath.init), version: try name?.selector(),
            isRequired: command[.requireSignature])
        return (name?.file ?? path, check)
    }

    /// Returns the number of damaged files, and of findings that don't belong to a file: `16 files of versions 1 and 2, and 1 other
    /// finding`.
    static func total(of outcome: Verifier.Outcome) -> String {
        let files = Set(outcome.findings.compactMap(\.path)).count
        let others = outcome.findings.count { $0.path == nil }
        if files == 0 { return Quantity.counted(UInt64(others), "finding", "findings") }
        let versions = VersionNumbers(outcome.findings.compactMap(\.version))
        let more = others == 0 ? "" : ", and \(Quantity.counted(UInt64(others), "other finding", "other findings"))"
        return "\(Quantity.counted(UInt64(files), "file", "files")) of \(versions)\(more)"
    }

    /// With `--json`, a file that can't be verified also gets a report.
    /// - Returns: nil after the report of such a file; the error was printed.
    private func verify(_ file: HostPath, _ verifier: Verifier) throws(CapsuleError) -> Verifier.Outcome? {
        do throws(CapsuleError) {
            if file == .standardStream {
                throw CapsuleError(.usage, "verify reads a file, not standard input")
            }
            return try verifier.verify(file)
        } catch {
            guard context.command[.json], error.code.isFailure else { throw error }
            try context.write(context.reporter.verified(Verifier.Outcome(failing: error), as: RemoteName.shown(file.bytes)))
            context.diagnostics.error(error)
            return nil
        }
    }
}

/// `capsule sign`
struct SignCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let path = HostPath(command[.file])
        if path == .standardStream { throw CapsuleError(.usage, "sign signs a file, not standard input") }
        guard let key = command[.signingKey] else { throw CapsuleError(.usage, "'sign' needs '--key KEY'") }
        let name = try FileProbe.exists(path) ? nil : VersionedName(command[.file])
        let outcome = try VersionSigner(key: HostPath(key), replaces: command[.force])
            .sign(try name?.selector() ?? .latest, of: name?.file ?? path)
        if context.isReported { try context.write(context.reporter.signed(outcome)) }
        return .success
    }
}
