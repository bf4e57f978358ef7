public import CapsuleCore
import CapsuleSystem

/// Where a command reads, and what it changes in place: no output takes the place of any of it.
///
/// Files are told apart by device and inode, so that links, `..` and other spellings of a name lead to the same answer.
public struct ReadPlaces: Sendable {
    private struct Place: Sendable {
        /// As the user named it; of standard input, the file that it comes from.
        let name: HostPath
        /// Where that leads to.
        let path: HostPath
        let isChanged: Bool
    }

    private var places: [Place] = []

    /// - Parameters:
    ///   - read: containers and files that are read, as the user named them: `FILE@VERSION`, `sim:ID` and `-` among them.
    ///   - changed: those that are changed in place.
    public init(_ read: [[UInt8]], changed: [[UInt8]] = []) {
        places = read.flatMap { Self.places(of: $0, isChanged: false) } + changed.flatMap { Self.places(of: $0, isChanged: true) }
    }

    private static func places(of name: [UInt8], isChanged: Bool) -> [Place] {
        let own = HostPath(name)
        return paths(of: name).map { Place(name: own == .standardStream ? $0 : own, path: $0, isChanged: isChanged) }
    }

    /// Where a name of a container or a file may lead to; nowhere for a pipe.
    private static func paths(of name: [UInt8]) -> [HostPath] {
        let path = HostPath(name)
        if path == .standardStream { return [RealPath.ofStandardInput()].compactMap { $0 } }
        if name.isEmpty { return [] }
        if (try? FileProbe.exists(path)) == true { return [path] }
        if let contained = ContainedName(name) { return paths(of: contained.container) }
        if let version = VersionedName(name) { return [version.file] }
        if let simulator = SimulatorName(name), let directory = try? simulator.resolve(warn: { _ in }) { return [directory] }
        return [path]
    }

    /// Whether an output of that name would take the place of anything here, hold it, or lie in it.
    func contain(_ output: HostPath) throws(CapsuleError) -> Bool { try problem(of: output) != nil }

    /// - Parameters:
    ///   - output: the file or the directory that is to be written; it need not be there.
    ///   - flag: what names it.
    /// - Throws: with the code `usage` and both paths where it is one of the places, or holds one, or lies inside a container.
    public func refuse(_ output: HostPath, flag: String = "-o") throws(CapsuleError) {
        try refuse(output, hint: "choose another place with '\(flag)'")
    }

    /// - Parameter hint: what to do about it.
    func refuse(_ output: HostPath, hint: String) throws(CapsuleError) {
        if output == .standardStream { return }
        guard let problem = try problem(of: output) else { return }
        throw CapsuleError(.usage, problem, path: output, hint: hint)
    }

    /// The name of a result that is named after its container: never the place of what is read.
    ///
    /// - Parameters:
    ///   - name: the container's name.
    ///   - suffix: what follows it in the result's name.
    ///   - isPart: whether only a part of the container is in the result: then another name is found.
    /// - Throws: with the code `usage` where all of the container would take its own place.
    func name(
        _ name: [UInt8], suffix: [UInt8], in directory: HostPath, isPart: Bool
    ) throws(CapsuleError) -> HostPath {
        let output = directory.appending(name + suffix)
        if isPart, try contain(output) {
            let part = directory.appending(name + Self.part + suffix)
            try refuse(part)
            return part
        }
        try refuse(output)
        return output
    }

    private static let part = Array("-part".utf8)

    /// - Throws: with the code `usage` where results would appear inside a container that is read.
    public func refuse(resultsIn directory: HostPath, flag: String) throws(CapsuleError) {
        for place in places where place.path.isDirectory {
            guard try Self.leads(directory, to: place.path) else { continue }
            throw CapsuleError(
                .usage, "\(Self.inside(place)), \(Self.role(of: place))", path: directory,
                hint: "choose another place with '\(flag)'")
        }
    }

    /// - Throws: with the code `usage` where a file that is changed in place is read, too.
    public func refuse(changing target: HostPath) throws(CapsuleError) {
        guard let place = places.first(where: { FileProbe.areSame(target, $0.path) }) else { return }
        throw CapsuleError(
            .usage, "is the same as \(place.name), \(Self.role(of: place))", path: target, hint: "choose two different files")
    }

    private func problem(of output: HostPath) throws(CapsuleError) -> String? {
        for place in places {
            if FileProbe.areSame(output, place.path) || output.isSamePlace(as: place.path) {
                return "would replace \(place.name), \(Self.role(of: place))"
            }
            // The name may be a link: neither it nor what it leads to may go.
            for held in [place.path, place.path.directory] where try FileProbe.leads(held, to: output) {
                return "contains \(place.name), \(Self.role(of: place))"
            }
            if place.path.isDirectory, try Self.leads(output.directory, to: place.path) {
                return "\(Self.inside(place)), \(Self.role(of: place))"
            }
        }
        return nil
    }

    private static func inside(_ place: Place) -> String { "is inside the container \(place.name)" }

    private static func role(of place: Place) -> String {
        place.isChanged ? "which this command changes" : "which this command reads"
    }

    /// Whether a directory, or the nearest above it that is there, is another one or lies in it.
    fileprivate static func leads(_ path: HostPath, to directory: HostPath) throws(CapsuleError) -> Bool {
        var place = path
        while (try? Syscall.status(place, following: true)) == nil, place.directory != place { place = place.directory }
        return try FileProbe.leads(place, to: directory)
    }
}

extension HostPath {
    fileprivate var isDirectory: Bool { FileProbe.isDirectory(self) }

    /// Where a file of this name is or would be: the nearest directory above it that is there, and the names below that.
    private var location: (directory: FileStatus, names: [[UInt8]])? {
        var (place, names) = (directory, [name])
        while true {
            if let found = try? Syscall.status(place, following: true) { return (found, names.reversed()) }
            guard place.directory != place else { return nil }
            names.append(place.name)
            place = place.directory
        }
    }

    /// Whether both name one place, which need not be there.
    func isSamePlace(as other: HostPath) -> Bool {
        if self == other || FileProbe.areSame(self, other) { return true }
        guard let own = location, let others = other.location else { return false }
        return own.directory.isSameFile(as: others.directory) && own.names == others.names
    }

    /// Whether it is a place in a directory that is or would be at another.
    func isInside(_ directory: HostPath) throws(CapsuleError) -> Bool {
        if try ReadPlaces.leads(self.directory, to: directory) { return true }
        guard let own = location, let other = directory.location else { return false }
        return own.directory.isSameFile(as: other.directory) && own.names.count > other.names.count
            && own.names.starts(with: other.names)
    }
}

/// The outputs of one command: no two of them share a place.
public enum OutputPlaces {
    /// - Throws: where the directory of a file that is to be made is not there.
    public static func checkDirectory(of path: HostPath) throws(CapsuleError) {
        if FileProbe.isDirectory(path.directory) { return }
        throw CapsuleError(.notFound, "the directory does not exist", path: path.directory)
    }

    /// - Throws: with the code `usage` and both paths where one is another one or would lie in it.
    public static func refuse(_ outputs: [(path: HostPath, flag: String)]) throws(CapsuleError) {
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

    /// - Throws: with the code `exists` for a file or a directory that the output may not take the place of.
    public static func check(
        _ path: HostPath, as kind: OutputKind, replacing replacement: Replacement, flag: String
    ) throws(CapsuleError) {
        try FileProbe.checkTarget(path, as: kind, replacing: replacement, flag: flag)
    }
}
