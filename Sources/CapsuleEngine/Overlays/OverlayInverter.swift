public import CapsuleCore
import CapsulePropertyList

/// Makes the overlay that takes another one back.
public struct OverlayInverter: Sendable {
    private let package: OverlayPackage
    private let modes: [FileMode]

    /// - Throws: for an overlay that does not say, or does not carry, what was there before.
    public init(_ source: OverlaySource) throws(CapsuleError) {
        var package = try source.package()
        do throws(OverlayError) {
            package.overlay = try package.overlay.inverted()
        } catch {
            throw source.error(error)
        }
        if let path = Self.pathWithoutContent(package) {
            throw CapsuleError(
                "does not contain the old content of \(PlistString(path.description).quoted), so it can't be inverted",
                path: HostPath(source.argument),
                hint: "to make one that can, run 'capsule diff A B --overlay' without '--one-way'")
        }
        self.package = package
        modes = [source.fileMode].compactMap { $0 }
    }

    /// Writes the overlay: as a capsule if it carries anything, else as a document.
    ///
    /// - Parameters:
    ///   - output: the file that is to be written, or standard output.
    ///   - captured: the moment that a capsule's manifest has.
    ///   - jobs: how many threads compress.
    public func write(to output: OverlayOutput, captured: Timestamp, jobs: Int) throws(CapsuleError) {
        try output.limited(to: modes).write(package, captured: captured, jobs: jobs)
    }

    /// The first path of which new bytes are said and not carried.
    private static func pathWithoutContent(_ package: OverlayPackage) -> RelativePath? {
        package.overlay.files.first { record in
            guard let content = record.new?.content, content.size > 0, !record.isGuard else { return false }
            if let old = record.old?.content, old.digest == content.digest, old.size == content.size { return false }
            guard let contents = package.contents else { return true }
            return !content.isCarried(in: contents)
        }?.path
    }
}
