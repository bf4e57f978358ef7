public import CapsuleCore
import CapsulePropertyList

/// An overlay as it is looked at: what it says, and what it carries.
public struct OverlayInspection: Sendable {
    /// What it says.
    public let overlay: Overlay
    /// Whether it is a capsule, which carries bytes.
    public let isCapsule: Bool
    private let contents: (any CarriedContents)?
    private let argument: [UInt8]

    /// - Throws: for what is no overlay.
    public init(_ source: OverlaySource) throws(CapsuleError) {
        self.init(try source.package(), as: source.argument)
    }

    /// - Parameter argument: what it is called in messages.
    init(_ package: OverlayPackage, as argument: [UInt8]) {
        overlay = package.overlay
        contents = package.contents
        isCapsule = package.origin != nil
        self.argument = argument
    }

    /// What is carried, all of which was compared with its digest.
    public struct Carried: Sendable {
        /// How many contents.
        public var contents: UInt64 = 0
        /// Their sizes together.
        public var bytes: UInt64 = 0
        /// How many records say which bytes a file had, and these are not carried: the overlay can't be inverted.
        public var withoutOld: UInt64 = 0
    }

    /// Reads all that is carried.
    ///
    /// - Throws: for a new content that is missing, and for bytes that are not what their digest says.
    public func check() throws(CapsuleError) -> Carried {
        var carried = Carried()
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
    /// An error of the overlay, with the place in it.
    func error(_ error: OverlayError) -> CapsuleError {
        if case .file(let file) = form { return file.error(error) }
        let place = error.source.map { $0.isRoot ? "" : " (at \($0) of the overlay)" } ?? ""
        return CapsuleError(error.message + place, path: HostPath(argument), hint: error.hint)
    }
}
