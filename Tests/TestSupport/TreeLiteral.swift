import CSystem
import CapsuleCore
import Foundation

/// A whole tree as a literal: paths and entries. Directories that only occur as parts of paths are included, with mode 0755 and the time
/// ``TreeNode/time``.
package struct TreeLiteral: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The entries by path bytes; the empty path is the tree's root directory.
    package private(set) var nodes: [RawPath: TreeNode] = [:]

    package init(dictionaryLiteral elements: (RawPath, TreeNode)...) {
        for (path, node) in elements { self[path] = node }
    }

    /// A path of any bytes.
    package struct RawPath: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        package let bytes: [UInt8]

        package init(_ bytes: [UInt8]) { self.bytes = bytes }

        package init(stringLiteral text: String) { bytes = Array(text.utf8) }

        package static func < (lhs: RawPath, rhs: RawPath) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }

        package var description: String { String(decoding: bytes, as: UTF8.self) }

        package var components: [RawName] { bytes.split(separator: UInt8(ascii: "/")).map { RawName($0) } }

        package var parent: RawPath? {
            if bytes.isEmpty { return nil }
            guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return RawPath([]) }
            return RawPath(Array(bytes[..<slash]))
        }
    }

    /// The entry at a path. Setting one also makes its parents; setting nil removes only the entry.
    package subscript(path: RawPath) -> TreeNode? {
        get { nodes[path] }
        set {
            nodes[path] = newValue
            var parent = path.parent
            while newValue != nil, let directory = parent, !directory.bytes.isEmpty {
                if nodes[directory] == nil { nodes[directory] = .directory() }
                parent = directory.parent
            }
        }
    }

    package var paths: [RawPath] { nodes.keys.sorted() }

    /// Returns the entries below a directory as a separate tree.
    package func below(_ directory: RawPath) -> TreeLiteral {
        var tree = TreeLiteral()
        for (path, node) in nodes where path.bytes.starts(with: directory.bytes + [UInt8(ascii: "/")]) {
            var node = node
            if case .hardLink(let other) = node.kind { node.kind = .hardLink(Array(other.dropFirst(directory.bytes.count + 1))) }
            tree.nodes[RawPath(Array(path.bytes.dropFirst(directory.bytes.count + 1)))] = node
        }
        tree.nodes[""] = nodes[directory]
        return tree
    }

    /// Returns this tree as a directory of a larger one.
    package func placed(at directory: RawPath) -> TreeLiteral {
        var tree = TreeLiteral()
        tree[directory] = nodes[""] ?? .directory()
        for (path, node) in nodes where !path.bytes.isEmpty {
            var node = node
            if case .hardLink(let other) = node.kind { node.kind = .hardLink(directory.bytes + [UInt8(ascii: "/")] + other) }
            tree[RawPath(directory.bytes + [UInt8(ascii: "/")] + path.bytes)] = node
        }
        return tree
    }

    // MARK: On disk

    /// Makes the tree as the directory `path`, which must not exist.
    ///
    /// - Parameter backwards: true to create the entries in the opposite order, for a different order in the directories.
    package func make(at path: String, backwards: Bool = false) throws {
        guard mkdir(path, 0o700) == 0 else { throw SupportError("cannot make \(path): errno \(errno)") }
        let top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(top) }
        let ordered = paths.filter { !$0.bytes.isEmpty }
        for path in ordered where nodes[path]?.kind == .directory { try make(path, below: top) }
        let rest = ordered.filter { nodes[$0]?.kind != .directory }
        var links: [RawPath] = []
        for path in backwards ? rest.reversed() : rest {
            if case .hardLink = nodes[path]?.kind { links.append(path) } else { try make(path, below: top) }
        }
        for path in links { try make(path, below: top) }
        for path in ordered.reversed() { try settle(path, below: top) }
        if let own = nodes[""] {
            fchmod(top, mode_t(own.mode))
            try Self.set(own.attributes, of: top, path: "")
            try Self.setTimes(own.modified, top, nil)
        }
    }

    private func make(_ path: RawPath, below top: Int32) throws {
        guard let node = nodes[path] else { return }
        try Self.withParent(of: path, below: top) { parent, name in
            try name.withCString { text in
                let status: Int32
                switch node.kind {
                case .directory: status = mkdirat(parent, text, 0o700)
                case .file(let bytes): status = try Self.write(bytes, parent, text)
                case .link(let target): status = RawName(target).withCString { symlinkat($0, parent, text) }
                case .pipe: status = mkfifoat(parent, text, 0o600)
                case .socket: status = Self.makeSocket(parent, name)
                case .hardLink(let other):
                    status = try Self.withParent(of: RawPath(other), below: top) { directory, existing in
                        existing.withCString { linkat(directory, $0, parent, text, 0) }
                    }
                }
                if status != 0 { throw SupportError("cannot make \(path): errno \(errno)") }
            }
        }
    }

    private func settle(_ path: RawPath, below top: Int32) throws {
        guard let node = nodes[path] else { return }
        if case .hardLink = node.kind { return }
        try Self.withParent(of: path, below: top) { parent, name in
            try name.withCString { text in
                if !node.attributes.isEmpty {
                    let descriptor = openat(parent, text, O_RDONLY | O_CLOEXEC)
                    defer { close(descriptor) }
                    try Self.set(node.attributes, of: descriptor, path: path)
                }
                if case .link = node.kind {} else { fchmodat(parent, text, mode_t(node.mode), 0) }
                try Self.setTimes(node.modified, parent, text)
            }
        }
    }

    private static func withParent<Outcome>(
        of path: RawPath, below top: Int32, _ body: (Int32, RawName) throws -> Outcome
    ) throws -> Outcome {
        let components = path.components
        guard let name = components.last else { throw SupportError("the top has no parent") }
        var directory = dup(top)
        defer { close(directory) }
        for component in components.dropLast() {
            let below = component.withCString { openat(directory, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard below >= 0 else { throw SupportError("cannot open the parent of \(path): errno \(errno)") }
            close(directory)
            directory = below
        }
        return try body(directory, name)
    }

    /// Writes a file in which aligned blocks of zeros are holes.
    private static func write(_ bytes: [UInt8], _ parent: Int32, _ name: UnsafePointer<CChar>) throws -> Int32 {
        let descriptor = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return -1 }
        defer { close(descriptor) }
        var at = 0
        while at < bytes.count {
            let end = min(bytes.count, at + 65_536)
            let slice = bytes[at..<end]
            if end - at < 65_536 || slice.contains(where: { $0 != 0 }) {
                let written = slice.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(at)) }
                guard written == slice.count else { return -1 }
            }
            at = end
        }
        return ftruncate(descriptor, off_t(bytes.count))
    }

    private static func makeSocket(_ parent: Int32, _ name: RawName) -> Int32 {
        let made = name.withCString { mknodat(parent, $0, S_IFSOCK | 0o600, 0) }
        return made == 0 ? 0 : SocketFile.bind(in: parent, name)
    }

    private static func set(_ attributes: [String: [UInt8]], of descriptor: Int32, path: RawPath) throws {
        for (name, value) in attributes {
            let status = PlatformCalls.setAttribute(descriptor, name, value)
            if status != 0 { throw SupportError("cannot set the attribute \(name) of \(path): errno \(errno)") }
        }
    }

    private static func setTimes(_ time: Timestamp, _ directory: Int32, _ name: UnsafePointer<CChar>?) throws {
        let one = timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds))
        let times = [one, one]
        let status = name.map { utimensat(directory, $0, times, AT_SYMLINK_NOFOLLOW) } ?? futimens(directory, times)
        if status != 0 { throw SupportError("cannot set times: errno \(errno)") }
    }

    // MARK: From disk

    /// Reads the tree at `path`, including its root directory.
    package init(reading path: String) throws {
        let top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard top >= 0 else { throw SupportError("cannot open \(path): errno \(errno)") }
        defer { close(top) }
        try read(top, [])
    }

    private mutating func read(_ directory: Int32, _ path: [UInt8]) throws {
        var status = stat()
        fstat(directory, &status)
        var node = TreeNode(kind: .directory, mode: UInt16(status.st_mode & 0o7777), modified: Self.time(status))
        node.attributes = Self.attributes(of: directory)
        nodes[RawPath(path)] = node
        for name in RawDirectory.names(in: directory) {
            let whole = path.isEmpty ? name.bytes : path + [UInt8(ascii: "/")] + name.bytes
            try name.withCString { try readEntry($0, directory, whole) }
        }
    }

    private mutating func readEntry(_ name: UnsafePointer<CChar>, _ directory: Int32, _ path: [UInt8]) throws {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SupportError("stat: errno \(errno)") }
        var node = TreeNode(kind: .pipe, mode: UInt16(status.st_mode & 0o7777), modified: Self.time(status))
        switch status.st_mode & S_IFMT {
        case S_IFDIR, S_IFREG:
            let descriptor = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw SupportError("cannot open \(RawPath(path)): errno \(errno)") }
            defer { close(descriptor) }
            if status.st_mode & S_IFMT == S_IFDIR { return try read(descriptor, path) }
            var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
            var at = 0
            while at < bytes.count {
                let count = bytes.withUnsafeMutableBytes { room in
                    pread(descriptor, room.baseAddress?.advanced(by: at), room.count - at, off_t(at))
                }
                if count <= 0 { break }
                at += count
            }
            node.kind = .file(bytes)
            node.attributes = Self.attributes(of: descriptor)
        case S_IFLNK:
            var target = [UInt8](repeating: 0, count: 8_192)
            let count = target.withUnsafeMutableBytes { room in
                guard let base = room.baseAddress else { return 0 }
                return readlinkat(directory, name, base.assumingMemoryBound(to: CChar.self), room.count)
            }
            node.kind = .link(Array(target.prefix(max(0, count))))
            node.mode = 0
        case S_IFSOCK: node.kind = .socket
        default: break
        }
        nodes[RawPath(path)] = node
    }

    private static func time(_ status: stat) -> Timestamp {
        let time = status.modified
        return Timestamp(seconds: Int64(time.seconds), nanoseconds: UInt32(time.nanoseconds)) ?? .epoch
    }

    private static func attributes(of descriptor: Int32) -> [String: [UInt8]] {
        var room = [CChar](repeating: 0, count: 1 << 16)
        let length = PlatformCalls.listAttributes(descriptor, &room)
        guard length > 0 else { return [:] }
        var attributes: [String: [UInt8]] = [:]
        for raw in room[..<length].split(separator: 0) {
            let name = String(decoding: raw.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Attributes that the kernel adds by itself are ignored.
            if name.hasPrefix("security.") || name.hasPrefix("system.") || name.hasPrefix("com.apple.provenance") { continue }
            var value = [UInt8](repeating: 0, count: 1 << 17)
            let count = PlatformCalls.getAttribute(descriptor, name, &value)
            if count >= 0 { attributes[name] = Array(value.prefix(count)) }
        }
        return attributes
    }

    // MARK: Comparison

    /// Returns a line for each entry that differs. A hard link is compared as a file with the same bytes.
    ///
    /// The root directory is compared if this tree contains it.
    package func differences(from found: TreeLiteral) -> [String] {
        let wanted = withoutHardLinks
        var lines: [String] = []
        for path in Set(wanted.nodes.keys).union(found.nodes.keys).sorted() {
            if path.bytes.isEmpty, nodes[path] == nil { continue }
            let (left, right) = (wanted.nodes[path], found.nodes[path])
            if left != right {
                lines.append("\(path): \(left.map(\.description) ?? "nothing") became \(right.map(\.description) ?? "nothing")")
            }
        }
        return lines
    }

    /// The tree as it is read back, with hard links as separate files.
    package var withoutHardLinks: TreeLiteral {
        var tree = self
        for (path, node) in nodes {
            if case .hardLink(let other) = node.kind { tree.nodes[path] = nodes[RawPath(other)] }
        }
        return tree
    }

    /// Returns the tree with a change applied to every entry.
    package func mapping(_ body: (RawPath, inout TreeNode) -> Void) -> TreeLiteral {
        var tree = self
        for path in nodes.keys {
            if var node = tree.nodes[path] {
                body(path, &node)
                tree.nodes[path] = node
            }
        }
        return tree
    }
}
