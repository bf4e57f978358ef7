package import CapsuleCore
import CapsuleRemote
import CapsuleSystem

/// The places that a command reads, and those that it changes in place. No output may replace any of them. Files are identified
/// by device and inode, so links, `..` and other spellings of a name lead to the same answer.
package struct InputPaths: Sendable {
    private struct Input: Sendable {
        /// The name as the user gave it; for standard input, the file that it comes from.
        let name: HostPath
        let path: HostPath
        let isChanged: Bool
    }

    private var places: [Input] = []

    package init(_ read: [[UInt8]], changed: [[UInt8]] = []) {
        places = read.flatMap { Self.places(of: $0, isChanged: false) } + changed.flatMap { Self.places(of: $0, isChanged: true) }
    }

    private static func places(of name: [UInt8], isChanged: Bool) -> [Input] {
        let own = HostPath(name)
        return paths(of: name).map { Input(name: own == .standardStream ? $0 : own, path: $0, isChanged: isChanged) }
    }

    private static func paths(of name: [UInt8]) -> [HostPath] {
        let path = HostPath(name)
        if path == .standardStream { return [RealPath.ofStandardInput()].compactMap { $0 } }
        if name.isEmpty || RemoteAddress.isAddress(name) { return [] }
        if (try? FileProbe.exists(path)) == true { return [path] }
        if let contained = ContainedName(name) { return paths(of: contained.container) }
        if let version = VersionedName(name) { return [version.file] }
        if let simulator = SimulatorName(name), let found = try? simulator.resolve(takesGroups: true, warn: { _ in }) {
            return [found.path] + found.groups.groups.map(\.directory)
        }
        return [path]
    }

    /// Refuses an output that conflicts with one of the places.
    /// - Throws: `usage`, with both paths, if the output is one of the places, contains one, or is inside a container.
    package func refuse(_ output: HostPath, flag: String = "-o") throws(CapsuleError) {
        try refuse(output, hint: "choose another place with '\(flag)'")
    }

    package func refuse(_ output: HostPath, hint: String) throws(CapsuleError) {
        if output == .standardStream { return }
        guard let problem = try problem(of: output) else { return }
        throw CapsuleError(.usage, problem, path: output, hint: hint)
    }

    /// Returns the path of a result that is named after its container. It never replaces anything that is read. A part never gets
    /// the name of the whole.
    /// - Throws: `usage` if the result would replace the container.
    package func name(
        _ name: [UInt8], suffix: [UInt8], in directory: HostPath, isPart: Bool
    ) throws(CapsuleError) -> HostPath {
        let output = directory.appending(name + (isPart ? Self.part : []) + suffix)
        try refuse(output)
        return output
    }

    private static let part = Array("-part".utf8)

    package func refuse(resultsIn directory: HostPath, flag: String) throws(CapsuleError) {
        for place in places where place.path.isDirectory {
            guard try Self.leads(directory, to: place.path) else { continue }
            throw CapsuleError(
                .usage, "\(Self.inside(place)), \(Self.role(of: place))", path: directory,
                hint: "choose another place with '\(flag)'")
        }
    }

    package func refuse(changing target: HostPath) throws(CapsuleError) {
        guard let place = places.first(where: { FileProbe.areSame(target, $0.path) }) else { return }
        throw CapsuleError(
            .usage, "is the same as \(place.name), \(Self.role(of: place))", path: target, hint: "choose two different files")
    }

    private func problem(of output: HostPath) throws(CapsuleError) -> String? {
        for place in places {
            if FileProbe.areSame(output, place.path) || output.isSamePlace(as: place.path) {
                return "would replace \(place.name), \(Self.role(of: place))"
            }
            // The name may be a link. Neither the link nor its target may be replaced.
            for held in [place.path, place.path.directory] where try FileProbe.leads(held, to: output) {
                return "contains \(place.name), \(Self.role(of: place))"
            }
            if place.path.isDirectory, try Self.leads(output.directory, to: place.path) {
                return "\(Self.inside(place)), \(Self.role(of: place))"
            }
        }
        return nil
    }

    private static func inside(_ place: Input) -> String { "is inside the container \(place.name)" }

    private static func role(of place: Input) -> String {
        place.isChanged ? "which this command changes" : "which this command reads"
    }

    /// Returns true if a directory, or its nearest ancestor that exists, is another directory or is inside it.
    fileprivate static func leads(_ path: HostPath, to directory: HostPath) throws(CapsuleError) -> Bool {
        var place = path
        while (try? Syscall.status(place, following: true)) == nil, place.directory != place { place = place.directory }
        return try FileProbe.leads(place, to: directory)
    }
}

extension HostPath {
    fileprivate var isDirectory: Bool { FileProbe.isDirectory(self) }

    /// The location of a file with this name, which need not exist: its nearest ancestor directory that exists, and the names below
    /// that.
    private var location: (directory: FileStatus, names: [[UInt8]])? {
        var (place, names) = (directory, [name])
        while true {
            if let found = try? Syscall.status(place, following: true) { return (found, names.reversed()) }
            guard place.directory != place else { return nil }
            names.append(place.name)
            place = place.directory
        }
    }

    /// Returns true if both paths name the same place, which need not exist.
    func isSamePlace(as other: HostPath) -> Bool {
        if self == other || FileProbe.areSame(self, other) { return true }
        guard let own = location, let others = other.location else { return false }
        return own.directory.isSameFile(as: others.directory) && own.names == others.names
    }

    /// Neither of the two needs to exist.
    func isInside(_ directory: HostPath) throws(CapsuleError) -> Bool {
        if try InputPaths.leads(self.directory, to: directory) { return true }
        guard let own = location, let other = directory.location else { return false }
        return own.directory.isSameFile(as: other.directory) && own.names.count > other.names.count
            && own.names.starts(with: other.names)
    }
}

/// Checks on the outputs of one command: no two of them may have the same place.
package enum OutputPaths {
    package static func checkDirectory(of path: HostPath) throws(CapsuleError) {
        if FileProbe.isDirectory(path.directory) { return }
        throw CapsuleError(
            .notFound, "the directory does not exist", path: path.directory,
            hint: "'mkdir -p \(path.directory.shellWord)' creates it")
    }

    package static func refuse(_ outputs: [(path: HostPath, flag: String)]) throws(CapsuleError) {
        for (number, one) in outputs.enumerated() {
            for other in outputs[..<number] where try collide(one.path, other.path) {
                throw CapsuleError(
                    .usage, "is the same place as \(other.path), given with '\(other.flag)'", path: one.path,
                    hint: "choose another place with '\(one.flag)'")
            }
        }
    }

    private static func collide(_ one: HostPath, _ other: HostPath) throws(CapsuleError) -> Bool {
        if one == other { return true }
        if one == .standardStream || other == .standardStream { return false }
        if one.isSamePlace(as: other) { return true }
        if try one.isInside(other) { return true }
        return try other.isInside(one)
    }

    package static func check(
        _ path: HostPath, as kind: OutputKind, replacing isForced: Bool, flag: String, hint: String? = nil
    ) throws(CapsuleError) {
        try FileProbe.checkTarget(path, as: kind, replacing: isForced, flag: flag, hint: hint)
    }
}
