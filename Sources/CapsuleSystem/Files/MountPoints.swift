package import CapsuleCore

/// The places where file systems are mounted.
package enum MountPoints {
    /// Returns the first mount point below a directory; nil if there is none, or if the system does not tell.
    /// - Parameter directory: an absolute path without links.
    package static func first(below directory: HostPath) -> HostPath? {
        let start = directory.bytes + [UInt8(ascii: "/")]
        return all().filter { $0.starts(with: start) }.min { $0.lexicographicallyPrecedes($1) }.map { HostPath($0) }
    }

    #if canImport(Darwin)
    /// Source: getfsstat(2). It may be mounted more meanwhile, so the table is a little larger.
    private static func all() -> [[UInt8]] {
        let count = getfsstat(nil, 0, MNT_NOWAIT)
        guard count > 0 else { return [] }
        var table = Array(repeating: statfs(), count: Int(count) + 8)
        let filled = getfsstat(&table, Int32(table.count * MemoryLayout<statfs>.stride), MNT_NOWAIT)
        return table.prefix(max(0, Int(filled))).map { mounted in
            withUnsafeBytes(of: mounted.f_mntonname) { Array($0.prefix { $0 != 0 }) }
        }
    }
    #else
    private static func all() -> [[UInt8]] {
        let path = HostPath("/proc/self/mountinfo")
        guard let file = try? Syscall.open(path, flags: O_RDONLY | O_CLOEXEC) else { return [] }
        // The kernel makes the table up while it is read, and gives it no length.
        var table: [UInt8] = []
        while table.count < 1 << 24 {
            let part = try? [UInt8](reading: 1 << 16) { (space) throws(CapsuleError) in
                try Syscall.read(file.raw, at: UInt64(table.count), into: space, path: path)
            }
            guard let part, !part.isEmpty else { break }
            table += part
        }
        return paths(in: table)
    }
    #endif

    /// Returns the mount points in Linux's table of mounts, whose fifth field they are. Source: proc(5), /proc/[pid]/mountinfo.
    static func paths(in table: [UInt8]) -> [[UInt8]] {
        table.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            return fields.count > 4 ? unescaped(fields[4]) : nil
        }
    }

    /// Blanks, line ends and backslashes are written as three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
