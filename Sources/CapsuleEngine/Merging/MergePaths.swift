import CapsuleCore
import CapsuleFileSystem

/// Where the three of a merge lie on disk: neither the result nor the file of conflicts may take their place.
struct MergePaths {
    private let inputs: [(path: HostPath, real: [UInt8])]

    /// - Throws: what opening them would.
    init(_ containers: [Container]) throws(CapsuleError) {
        var paths: [HostPath] = []
        for container in containers {
            if case .live(let path) = try container.resolve() {
                paths.append(path)
            } else {
                // A version is named behind its file.
                let file = container.argument.lastIndex(of: UInt8(ascii: "@")).map { HostPath(Array(container.argument[..<$0])) }
                paths += [HostPath(container.argument)] + [file].compactMap { $0 }
            }
        }
        self.init(paths)
    }

    init(_ paths: [HostPath]) {
        inputs = paths.compactMap { path in path == .standardStream ? nil : RealPath.resolve(path).map { (path, $0.bytes) } }
    }

    /// - Throws: for a file of conflicts that would take the place of one, or of the result, or lie in them.
    func refuse(conflicts path: HostPath?, beside output: HostPath) throws(CapsuleError) {
        guard let path, path != .standardStream else { return }
        try refuse(path, as: "conflicts")
        if output != .standardStream, path.isSamePlace(as: output) || path.isInside(output) {
            throw CapsuleError(
                .usage, "is where the result goes, too", path: path, hint: "name another file for the conflicts")
        }
        try FileProbe.checkTarget(path, isDirectory: false, replacing: true, flag: "--conflicts")
    }

    /// - Throws: for a path that is an input, lies in one, or holds one, whatever it is spelled like.
    func refuse(_ output: HostPath, as role: String) throws(CapsuleError) {
        guard let real = output.realBytes else { return }
        for input in inputs {
            if real == input.real || FileProbe.areSame(output, input.path) {
                throw CapsuleError(
                    .usage, "is one of the three that are merged, which are not changed", path: output,
                    hint: "name another file or directory for the \(role)")
            }
            if FileProbe.leads(output.directory, to: input.path) {
                throw CapsuleError(
                    .usage, "lies inside the container \(input.path)", path: output, hint: "name a place outside for the \(role)")
            }
            if FileProbe.leads(input.path, to: output) {
                throw CapsuleError(
                    .usage, "holds \(input.path), which is merged", path: output, hint: "name another place for the \(role)")
            }
        }
    }
}

extension HostPath {
    /// Where a file of this name is or would be; nil where there is no such directory.
    fileprivate var realBytes: [UInt8]? {
        RealPath.resolve(directory).map {
            $0.bytes == [UInt8(ascii: "/")] ? $0.bytes + name : $0.bytes + [UInt8(ascii: "/")] + name
        }
    }

    /// Whether both name one place, which need not be there.
    func isSamePlace(as other: HostPath) -> Bool {
        self == other || FileProbe.areSame(self, other) || (realBytes != nil && realBytes == other.realBytes)
    }

    /// Whether it is a place in a directory that is or would be at another.
    func isInside(_ directory: HostPath) -> Bool {
        if FileProbe.leads(self.directory, to: directory) { return true }
        guard let own = realBytes, let other = directory.realBytes else { return false }
        return own.isInside(other)
    }
}

extension [UInt8] {
    fileprivate func isInside(_ directory: [UInt8]) -> Bool {
        starts(with: directory.last == UInt8(ascii: "/") ? directory : directory + [UInt8(ascii: "/")])
    }
}
