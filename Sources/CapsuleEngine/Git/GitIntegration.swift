import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Sets up git to show property lists and capsules with this program, and to merge property lists, and undoes this. The
/// integration consists of settings, which `git config` writes, and a block of lines in an attributes file. In a repository this
/// file is `info/attributes`, so that nobody else gets the lines with a commit.
package struct GitIntegration: Sendable {
    package let scope: GitScope
    private let settings: GitSettings

    package init(_ scope: GitScope) throws(CapsuleError) {
        self.scope = scope
        settings = GitSettings(scope, try .current())
        if scope == .local { try Self.checkRepository() }
    }

    package static func isInRepository() throws(CapsuleError) -> Bool {
        try lookForRepository().status == 0
    }

    private static func lookForRepository() throws(CapsuleError) -> ChildProcess.Outcome {
        try GitProgram.run([Array("rev-parse".utf8), Array("--git-dir".utf8)])
    }

    private static func checkRepository() throws(CapsuleError) {
        let outcome = try lookForRepository()
        guard outcome.status != 0 else { return }
        throw GitProgram.failure(
            of: outcome, to: "find a repository here",
            hint: "run it in a repository; 'git init' creates one, and '--global' is for all of them")
    }

    /// Writes the parts of the integration that are missing or outdated.
    /// - Throws: `CapsuleError` in a bare repository, for settings with these names that someone else made, and if git is set
    ///   to read no attributes file.
    package func install() throws(CapsuleError) -> State {
        if scope == .local {
            let answer = try GitProgram.path("rev-parse", "--is-bare-repository")
            guard answer.bytes != Array("true".utf8) else {
                throw CapsuleError(
                    "this repository is bare: it has no working files",
                    hint: "run it in a repository with working files, or use '--global'")
            }
        }
        try settings.refuseForeign()
        let path = try attributesPath()
        guard try isRead(path) else {
            throw CapsuleError(
                "'core.attributesFile' is empty: git reads no global attributes file",
                hint: "unset it, or set it to a path; 'git config --show-origin core.attributesFile' shows where it is set")
        }
        let file = try GitTextFile(path, isEdited: true)
        let bytes = try GitAttributesBlock.installed(in: file.bytes ?? [], path)
        // The lines have no effect without the settings, so they are written last.
        let isSet = try settings.set()
        let isWritten = bytes != file.bytes
        if isWritten { try file.write(bytes) }
        var state = try state()
        state.isChanged = isWritten || isSet
        return state
    }

    /// Removes what ``install()`` wrote. Files that have become empty stay.
    /// - Throws: `CapsuleError` for a block without an end. Nothing is removed then.
    package func uninstall() throws(CapsuleError) -> State {
        var found: [(file: GitTextFile, rest: [UInt8])] = []
        // Every command locks them in the same order.
        for path in try attributesPaths().sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            let file = try GitTextFile(path, isEdited: true)
            if let bytes = file.bytes, let rest = try GitAttributesBlock.removed(from: bytes, path) { found.append((file, rest)) }
        }
        let isUnset = try settings.unset()
        for (file, rest) in found { try file.write(rest) }
        var state = try state()
        state.isChanged = isUnset || !found.isEmpty
        return state
    }

    package func state() throws(CapsuleError) -> State {
        var (present, current) = (0, 0)
        var driver: [UInt8]?
        for setting in settings.all {
            let values = try settings.values(of: setting)
            present += values.contains(where: setting.isOurs) ? 1 : 0
            current += values == [setting.value] ? 1 : 0
            if setting.key == "merge.capsule.driver" { driver = values.last }
        }
        var path = try attributesPath()
        // Lines that have no effect: they have no end, or are in a file that git does not read.
        var isLeftOver = false
        for candidate in try attributesPaths().reversed() {
            guard let bytes = try GitTextFile(candidate).bytes else { continue }
            let found = Result { () throws(CapsuleError) in try GitAttributesBlock.find(in: bytes, candidate) }
            if case .success(nil) = found { continue }
            path = candidate
            if case .success(let range?) = found, try isRead(candidate) {
                present += 1
                current += Array(bytes[range]) == GitAttributesBlock.text ? 1 : 0
            } else {
                isLeftOver = true
            }
        }
        let parts = settings.all.count + 1
        let extent: State.Extent =
            if present < parts { present == 0 && !isLeftOver ? .absent : .incomplete } else if current < parts { .outdated } else
            {
                .installed
            }
        return State(scope: scope, extent: extent, attributes: path, driver: driver)
    }

    private func attributesPath() throws(CapsuleError) -> HostPath {
        switch scope {
        case .local: return try GitProgram.path("rev-parse", "--git-path", "info/attributes")
        case .global:
            guard let path = try Self.configuredPath(), !path.bytes.isEmpty else { return try Self.standardPath() }
            guard path.bytes.first == UInt8(ascii: "/") else {
                throw CapsuleError(
                    "'core.attributesFile' is '\(path)', a relative path",
                    hint: "set it to an absolute path, or to one that begins with '~/'")
            }
            return path
        }
    }

    /// Returns the files that may contain the lines, because `core.attributesFile` may have changed since the installation.
    private func attributesPaths() throws(CapsuleError) -> [HostPath] {
        let path = try attributesPath()
        guard scope == .global else { return [path] }
        let standard = try Self.standardPath()
        return FileProbe.areSame(path, standard) || path == standard ? [path] : [path, standard]
    }

    private func isRead(_ path: HostPath) throws(CapsuleError) -> Bool {
        guard scope == .global, let configured = try Self.configuredPath() else { return true }
        return configured == path
    }

    /// Returns the `core.attributesFile` for all repositories. It is empty if git is set to read no such file, and nil if it is
    /// not set.
    private static func configuredPath() throws(CapsuleError) -> HostPath? {
        for level in ["--global", "--system"] {
            let outcome = try GitProgram.run(
                ["config", level, "--includes", "--type=path", "-z", "--get", "core.attributesFile"].map { Array($0.utf8) })
            if outcome.status == 0 { return HostPath(Array(outcome.output.dropLast())) }
        }
        return nil
    }

    /// Returns the attributes file that git reads if none is set.
    private static func standardPath() throws(CapsuleError) -> HostPath {
        if let value = Host.environment("XDG_CONFIG_HOME"), !value.isEmpty {
            return HostPath(value).appending(Array("git/attributes".utf8))
        }
        guard let home = Host.environment("HOME"), !home.isEmpty else {
            throw CapsuleError(.usage, "HOME is not set, so the global settings can't be found")
        }
        return HostPath(home).appending(Array(".config/git/attributes".utf8))
    }

    /// The state of the integration in one scope.
    package struct State: Sendable {
        package enum Extent: String, Sendable {
            case absent
            case incomplete
            /// Everything is installed, but by another release of this program, or for another path of it.
            case outdated
            case installed
        }

        package let scope: GitScope
        package let extent: Extent
        package let attributes: HostPath
        /// The command that merges; nil if none is set.
        package let driver: [UInt8]?
        /// True if this call wrote anything.
        package var isChanged = false
    }
}

/// The repositories that the integration is for.
package enum GitScope: String, Sendable, CaseIterable {
    case local
    case global

    var flag: [UInt8] { Array("--\(rawValue)".utf8) }
}
