import Foundation
import Synchronization

/// The abilities of a directory's file system, determined by trying, once for each device.
package struct FileSystemTraits: Sendable {
    /// True if a name may consist of any bytes; otherwise it must be UTF-8.
    package let takesAnyBytes: Bool
    /// True if `a` and `A` are two names.
    package let tellsCaseApart: Bool
    /// True if the composed and the decomposed spelling of a character are two names.
    package let tellsFormsApart: Bool
    package let keepsAttributes: Bool
    /// True if it keeps attributes of 60,000 bytes; most file systems keep a few thousand.
    package let keepsLongAttributes: Bool
    /// True if blocks that were never written take no space.
    package let keepsHoles: Bool
    /// True if mknod(2) makes sockets; otherwise they must be bound.
    package let makesSockets: Bool
    /// True if a file may have the setuid bit.
    package let keepsSetuid: Bool

    /// The traits of the file system for temporary directories.
    package static let temporary: FileSystemTraits = {
        do {
            return try of(NSTemporaryDirectory())
        } catch {
            fatalError("the place for temporary files can't be tried: \(error)")
        }
    }()

    private static let known = Mutex<[dev_t: FileSystemTraits]>([:])

    /// Returns the traits of a directory's file system.
    package static func of(_ directory: String) throws -> FileSystemTraits {
        var status = stat()
        guard stat(directory, &status) == 0 else { throw SupportError("cannot look at \(directory): errno \(errno)") }
        let device = status.st_dev
        if let traits = known.withLock({ $0[device] }) { return traits }
        let traits = try FileSystemTraits(trying: try TemporaryDirectory(in: directory))
        known.withLock { $0[device] = traits }
        return traits
    }

    private init(trying directory: TemporaryDirectory) throws {
        func makes(_ name: [UInt8]) -> Bool {
            let path = RawName(Array(directory.path.utf8) + [UInt8(ascii: "/")] + name)
            let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0
        }
        guard makes(Array("probe".utf8)), makes(Array("\u{E9}".utf8)) else {
            throw SupportError("cannot make a file in \(directory.path): errno \(errno)")
        }
        takesAnyBytes = makes([0xFF, 0xFE])
        tellsCaseApart = makes(Array("PROBE".utf8))
        tellsFormsApart = makes(Array("e\u{301}".utf8))
        let file = open(directory["probe"], O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw SupportError("cannot open \(directory["probe"]): errno \(errno)") }
        defer { close(file) }
        keepsAttributes = PlatformCalls.setAttribute(file, "user.probe", [1]) == 0
        keepsLongAttributes = PlatformCalls.setAttribute(file, "user.long", [UInt8](repeating: 1, count: 60_000)) == 0
        var status = stat()
        keepsSetuid = fchmod(file, 0o4755) == 0 && fstat(file, &status) == 0 && status.st_mode & S_ISUID != 0
        keepsHoles = ftruncate(file, 1 << 24) == 0 && fstat(file, &status) == 0 && status.st_blocks * 512 < 1 << 23
        makesSockets = mknod(directory["socket"], S_IFSOCK | 0o600, 0) == 0
    }

    /// Returns true if a directory on it can contain all these paths at once, each under its own name.
    package func takes(_ paths: some Sequence<[UInt8]>) -> Bool {
        var known: Set<[UInt8]> = []
        for path in paths {
            guard let text = String(validating: path, as: UTF8.self) else {
                guard takesAnyBytes, known.insert(path).inserted else { return false }
                continue
            }
            var name = tellsFormsApart ? text : text.precomposedStringWithCanonicalMapping
            if !tellsCaseApart { name = name.lowercased() }
            guard known.insert(Array(name.utf8)).inserted else { return false }
        }
        return true
    }
}
