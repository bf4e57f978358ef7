public import CapsuleCore

extension Container {
    /// The directory of a live container, which can be changed.
    ///
    /// - Throws: `usage` for an archive or a capsule.
    public func liveDirectory() throws(CapsuleError) -> HostPath {
        guard case .live(let path) = try resolve() else {
            throw CapsuleError(
                .usage, "is no directory, and only a live container can be changed", path: HostPath(argument),
                hint: "'capsule unpack' makes one of an archive")
        }
        return path
    }
}
