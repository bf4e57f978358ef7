public import CapsuleCore

extension Container {
    /// The directory of a live container, which can be changed.
    ///
    /// - Throws: `usage` for an archive, a capsule and standard input.
    public func liveDirectory() throws(CapsuleError) -> HostPath {
        if HostPath(argument) == .standardStream {
            throw CapsuleError(.usage, "standard input is not a live container, and this command needs one")
        }
        let target = HostPath(argument)
        if SimulatorName(argument) == nil, let isThere = try? FileProbe.exists(target), !isThere {
            throw CapsuleError(
                .notFound, "the container does not exist", path: target,
                hint: "'capsule unpack' creates one from a capsule or an archive")
        }
        guard case .live(let path) = try resolve() else {
            throw CapsuleError(
                .usage, "is not a directory, and this command needs a live container", path: HostPath(argument),
                hint: "'capsule unpack' creates one from a capsule or an archive")
        }
        return path
    }

    /// The path beside which killed commands can have left something: a live directory, or any other path as it was named.
    public func recoverablePath() throws(CapsuleError) -> HostPath {
        if HostPath(argument) == .standardStream { return try liveDirectory() }
        if SimulatorName(argument) != nil { return try liveDirectory() }
        return HostPath(argument)
    }
}
