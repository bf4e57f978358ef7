package import CapsuleCore
import CapsuleSystem
import Foundation

/// A directory for one test. It is deleted with everything in it when it is released, however deep, whatever the names and modes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Creates the directory.
    ///
    /// - Parameter parent: the parent directory; nil for the system's temporary directory.
    package init(in parent: String? = nil) throws {
        // The mask can only be read by setting it, so this happens once, before any file is created.
        CreationMask.prepare()
        var template = Array(((parent ?? NSTemporaryDirectory()) + "/capsule-test-XXXXXX").utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.flatMap { realpath($0, nil) }
        }
        guard let made else { throw SupportError("no temporary directory: errno \(errno)") }
        defer { free(made) }
        path = String(cString: made)
    }

    deinit {
        Self.remove(path)
    }

    /// The path of an entry.
    package subscript(name: String) -> String { path + "/" + name }

    package func host(_ name: String) -> HostPath { HostPath(self[name]) }

    /// The names of its entries, including hidden ones, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Deletes a directory. The contents of its subdirectories are moved up first, so that no path grows long.
    private static func remove(_ path: String) {
        let top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard top >= 0 else { return }
        defer { close(top) }
        var moved = 0
        var pending = RawDirectory.names(in: top)
        while let name = pending.popLast() {
            if name.withCString({ unlinkat(top, $0, 0) }) == 0 { continue }
            _ = name.withCString { fchmodat(top, $0, 0o700, 0) }
            let below = name.withCString { openat(top, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            guard below >= 0 else { continue }
            for child in RawDirectory.names(in: below) {
                if child.withCString({ unlinkat(below, $0, 0) }) == 0 { continue }
                _ = child.withCString { fchmodat(below, $0, 0o700, 0) }
                moved += 1
                let aside = RawName(Array("\u{1}moved-\(moved)".utf8))
                let isMoved = child.withCString { old in aside.withCString { renameat(below, old, top, $0) } } == 0
                if isMoved { pending.append(aside) }
            }
            close(below)
            _ = name.withCString { unlinkat(top, $0, AT_REMOVEDIR) }
        }
        rmdir(path)
    }
}

/// A name of any bytes, for system calls.
package struct RawName: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    package func withCString<Outcome>(_ body: (UnsafePointer<CChar>) throws -> Outcome) rethrows -> Outcome {
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        return try text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { fatalError("an array of at least one element has a base") }
            return try body(base)
        }
    }
}

/// Lists directories by descriptor.
package enum RawDirectory {
    /// Returns the names in an open directory; none if it can't be listed.
    package static func names(in descriptor: Int32) -> [RawName] {
        let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0, let stream = fdopendir(own) else { return [] }
        defer { closedir(stream) }
        var names: [RawName] = []
        while let record = readdir(stream) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let text = UnsafeRawPointer(record) + offset
            let name = RawName(
                UnsafeRawBufferPointer(start: text, count: strlen(text.assumingMemoryBound(to: CChar.self))))
            if name.bytes != Array(".".utf8), name.bytes != Array("..".utf8) { names.append(name) }
        }
        return names
    }
}
