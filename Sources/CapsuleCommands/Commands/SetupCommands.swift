import CapsuleArguments
import CapsuleCore
import CapsuleEngine
import CapsuleMerge

struct GitCommand {
    private static let shownConflicts = 10

    let context: CommandContext

    func install() throws(CapsuleError) -> ExitStatus {
        try report([try GitIntegration(scope).install()], isChange: true)
    }

    func uninstall() throws(CapsuleError) -> ExitStatus {
        try report([try GitIntegration(scope).uninstall()], isChange: true)
    }

    /// Shows the status of one scope, or without a flag of both; the local one only in a repository.
    func status() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let scopes: [GitScope]
        if context.command[.localScope] || context.command[.globalScope] {
            scopes = [scope]
        } else {
            scopes = try GitIntegration.isInRepository() ? [.local, .global] : [.global]
        }
        var states: [GitIntegration.State] = []
        for scope in scopes { states.append(try GitIntegration(scope).state()) }
        return try report(states, isChange: false)
    }

    private var scope: GitScope { context.command[.globalScope] ? .global : .local }

    private func report(_ states: [GitIntegration.State], isChange: Bool) throws(CapsuleError) -> ExitStatus {
        if !isChange || context.isReported { try context.write(context.reporter.git(states, isChange: isChange)) }
        return .success
    }

    /// Prints any file in some form. An error would keep git from showing any part of the diff.
    func textconv() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let path = HostPath(context.command[.file])
        let jobs = try context.jobs()
        switch try GitTextconv.text(of: path, jobs: jobs) {
        case .lines(let lines):
            try context.write(lines)
        case .file(let path):
            try GitTextconv.copy(path, to: context.output)
        case .capsule(let listing):
            guard let lines = try? lines(of: listing, jobs: jobs) else {
                try GitTextconv.copy(path, to: context.output)
                break
            }
            try context.write(lines)
        }
        return .success
    }

    private func lines(of listing: ContainerListing, jobs: Int) throws(CapsuleError) -> [UInt8] {
        let reporter = TextReporter(escapesNames: true, isStyled: false)
        var text: [UInt8] = []
        try listing.forEachBatch(jobs: jobs, { reporter.listed($0, of: listing, isLong: true, isReadable: false) }) {
            (lines) throws(CapsuleError) in text += lines
        }
        return text
    }

    func mergeDriver() throws(CapsuleError) -> ExitStatus {
        HostProcess.letSignalsEnd()
        let command = context.command
        let name = command[.driverPath]
        let outcome = GitMergeDriver(
            base: HostPath(command[.driverBase]), ours: HostPath(command[.driverOurs]), theirs: HostPath(command[.driverTheirs]),
            size: command[.markSize], name: name
        ).run()
        report(outcome, on: QuotedBytes(name).text)
        return ExitStatus(code: outcome.status)
    }

    private func report(_ outcome: GitMergeDriver.Outcome, on name: String) {
        let diagnostics = context.diagnostics
        for note in outcome.notes { diagnostics.note("\(name): \(note)") }
        for conflict in outcome.conflicts.prefix(Self.shownConflicts) {
            let place = conflict.pointer.map { PlistChangeText.place($0) + ": " } ?? ""
            diagnostics.note("\(name): conflict: \(place)\(conflict.reason)")
        }
        let rest = outcome.conflicts.count - Self.shownConflicts
        if rest > 0 { diagnostics.note("\(name): and \(Quantity.counted(UInt64(rest), "conflict", "conflicts")) more") }
        if let trouble = outcome.trouble {
            let message = "\(name): not merged as a property list: \(Diagnostics.text(of: trouble))"
            if outcome.status == GitMergeDriver.failed {
                diagnostics.error(message, hint: "'git checkout --ours' and '--theirs' take one side")
            } else {
                diagnostics.warning(message)
            }
        }
        if let failure = outcome.failure {
            diagnostics.error("\(name): not merged: \(Diagnostics.text(of: failure))", hint: failure.hint)
        }
    }
}

struct GenerateCommand {
    let context: CommandContext

    /// Writes the pages of section 1 to a directory, or without one prints `capsule.1`.
    func man() throws(CapsuleError) -> ExitStatus {
        let isSplit = context.command[.bySection]
        guard let directory = context.command[.manDirectory] else {
            if isSplit { throw CapsuleError(.usage, "'--by-section' needs DIR", hint: "it sets the directory of the pages") }
            let page = ManPage(.program, date: CapsuleVersion.date, version: CapsuleVersion.text)
            try context.write(Array(page.source.utf8))
            return .success
        }
        let pages = ManPage.all(date: CapsuleVersion.date, version: CapsuleVersion.text)
        try TextFiles.write(
            pages.map { page in
                TextFiles.File(directory: isSplit ? "man1" : "", name: page.fileName, text: page.source)
            }, into: HostPath(directory), replacing: context.command[.force])
        return .success
    }

    func completions() throws(CapsuleError) -> ExitStatus {
        try context.write(Array(Completions(for: context.command[.shell]).script.utf8))
        return .success
    }
}
