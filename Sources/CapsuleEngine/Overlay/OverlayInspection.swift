package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList

/// An overlay that is open for inspection: its operations and records, and the bytes that it carries.
package struct OverlayInspection: Sendable {
    package let overlay: Overlay
    package let isCapsule: Bool
    private let contents: (any OverlayPayload)?
    private let argument: [UInt8]

    package init(_ source: OverlaySource) throws(CapsuleError) {
        self.init(try source.package(), as: source.argument)
    }

    init(_ package: OverlayPackage, as argument: [UInt8]) {
        overlay = package.overlay
        contents = package.contents
        isCapsule = package.origin != nil
        self.argument = argument
    }

    /// The contents that an overlay carries, all of which match their digests.
    package struct Payload: Sendable {
        package var contents: UInt64 = 0
        package var bytes: UInt64 = 0
        /// The number of records with an old content that is not carried. If there are any, the overlay can't be inverted.
        package var withoutOld: UInt64 = 0
    }

    /// Reads everything that the overlay carries.
    /// - Throws: `CapsuleError` for a new content that is missing, and for bytes that don't match their digest.
    package func check() throws(CapsuleError) -> Payload {
        var carried = Payload()
        guard let contents else { return carried }
        var known: Set<ContentDigest> = []
        for record in overlay.files where !record.isGuard {
            if let old = record.old?.content, let new = record.new?.content, old.digest == new.digest { continue }
            for (content, isNew) in [(record.old?.content, false), (record.new?.content, true)] {
                guard let content, let blob = content.blob, blob.size > 0, !known.contains(blob.digest) else {
                    continue
                }
                guard let open = try contents.open(blob.digest, size: blob.size) else {
                    guard isNew else {
                        carried.withoutOld += 1
                        continue
                    }
                    throw error("does not contain the new content of", record)
                }
                known.insert(blob.digest)
                guard try OverlayComposer.digest(of: open, size: blob.size, HostPath(argument)) == blob.digest else {
                    throw error("has content that does not match its digest for", record)
                }
                carried.contents += 1
                carried.bytes += blob.size
            }
        }
        return carried
    }

    private func error(_ message: String, _ record: FileRecord) -> CapsuleError {
        CapsuleError("\(message) \(PlistString(record.path.description).quoted)", path: HostPath(argument))
    }
}

extension OverlaySource {
    func error(_ error: OverlayError) -> CapsuleError {
        if case .file(let file) = form { return file.error(error) }
        let place = error.source.map { $0.isRoot ? "" : " (at \($0) of the overlay)" } ?? ""
        return CapsuleError(error.message + place, path: HostPath(argument), hint: error.hint)
    }
}

/// Makes the overlay that undoes another one.
package struct OverlayInverter: Sendable {
    private let package: OverlayPackage
    private let modes: [FileMode]

    /// - Throws: `CapsuleError` if the overlay does not have, or does not carry, the old state.
    package init(_ source: OverlaySource) throws(CapsuleError) {
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

    package func write(to output: OutputFile, captured: Timestamp, jobs: Int) throws(CapsuleError) {
        try output.limited(to: modes).write(package, captured: captured, jobs: jobs)
    }

    private static func pathWithoutContent(_ package: OverlayPackage) -> RelativePath? {
        package.overlay.files.first { record in
            guard let content = record.new?.content, content.size > 0, !record.isGuard else { return false }
            if let old = record.old?.content, old.digest == content.digest, old.size == content.size { return false }
            guard let contents = package.contents else { return true }
            return !content.isCarried(in: contents)
        }?.path
    }
}
