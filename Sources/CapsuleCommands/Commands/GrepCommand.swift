import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct GrepCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let argument = command[.container]
        guard !command[.text].isEmpty else { throw CapsuleError(.usage, "the text to search for is empty") }
        let text = SearchText(Array(command[.text].utf8), ignoresCase: command[.ignoreCase])
        var report = context.reporter.searchStart(as: argument)
        var seen: ContainerSearch.Seen?
        var (isFound, isWhole) = (false, true)
        for (version, container) in try containers(argument, &seen) {
            let opened = try container.openLeniently(jobs: context.jobs())
            let search = ContainerSearch(opened, for: text, showsSecrets: command[.showSecrets])
            let outcome = try search.run(in: command[.paths], jobs: context.jobs(), besides: &seen)
            for failure in outcome.failures { context.diagnostics.error(failure) }
            isFound = isFound || !outcome.hits.isEmpty
            isWhole = isWhole && outcome.failures.isEmpty
            report += self.report(outcome.hits, version)
        }
        if !command[.quiet] || command[.json] { try context.page(report) }
        noteOtherVersions()
        return isWhole ? isFound ? .success : .different : .failure
    }

    /// Says that only one version of a capsule was searched, if none was named.
    private func noteOtherVersions() {
        let command = context.command
        guard !command[.allVersions], let count = ContainerSearch.unnamedVersions(of: context.container(command[.container])),
            count > 1
        else { return }
        context.diagnostics.note("searched the newest of \(count) versions; '--versions' searches all")
    }

    private func report(_ hits: [ContainerSearch.Hit], _ version: UInt32?) -> [UInt8] {
        let command = context.command
        guard command[.count] || command[.filesOnly] else {
            return context.reporter.found(hits, in: version, isFull: command[.full])
        }
        var (paths, counts): ([RelativePath], [RelativePath: Int]) = ([], [:])
        for hit in hits {
            if counts[hit.path] == nil { paths.append(hit.path) }
            counts[hit.path, default: 0] += 1
        }
        return context.reporter.found(paths.map { ($0, command[.count] ? counts[$0] : nil) }, in: version)
    }

    /// Returns the containers to search: one, or every version of a capsule, the oldest first.
    private func containers(
        _ argument: [UInt8], _ seen: inout ContainerSearch.Seen?
    ) throws(CapsuleError) -> [(version: UInt32?, container: Container)] {
        guard context.command[.allVersions] else { return [(nil, context.container(argument))] }
        seen = ContainerSearch.Seen()
        return try VersionLog(HostPath(argument)).versions.reversed().map { version in
            (version.number, context.container(argument + Array("@\(version.number)".utf8)))
        }
    }
}
