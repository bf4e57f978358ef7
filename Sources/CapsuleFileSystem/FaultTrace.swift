#if CAPSULE_FAULTS
import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls as lines of text: a name, then words.
///
/// Files and directories are inode numbers, `-` for the current directory; names and bytes are hexadecimal:
///
///     create DIR NAME          made FILE (behind it, once it is there)    write FILE OFFSET BYTES    sync FILE
///     truncate FILE LENGTH     rename DIR NAME DIR NAME                   swap DIR NAME NAME         link DIR NAME DIR NAME
///     remove DIR NAME          mkdir DIR NAME                             symlink DIR NAME
///     mode FILE                times FILE                                 attribute FILE             lock FILE
enum FaultTrace {
    static func name(of change: DiskChange) -> String {
        switch change {
        case .create: "create"
        case .write: "write"
        case .sync: "sync"
        case .truncate: "truncate"
        case .rename: "rename"
        case .swap: "swap"
        case .link: "link"
        case .remove: "remove"
        case .makeDirectory: "mkdir"
        case .makeLink: "symlink"
        case .setMode: "mode"
        case .setTimes: "times"
        case .setAttribute: "attribute"
        case .lock: "lock"
        }
    }

    static func line(of change: DiskChange) -> String {
        let words: [String] =
            switch change {
            case .create(let directory, let name), .remove(let directory, let name), .makeDirectory(let directory, let name),
                .makeLink(let directory, let name):
                [inode(directory), hex(name)]
            case .write(let file, let bytes, let offset): [inode(file), String(offset), hex(bytes)]
            case .truncate(let file, let length): [inode(file), String(length)]
            case .rename(let from, let old, let to, let new), .link(let from, let old, let to, let new):
                [inode(from), hex(old), inode(to), hex(new)]
            case .swap(let directory, let first, let second): [inode(directory), hex(first), hex(second)]
            case .sync(let file), .setMode(let file), .setTimes(let file), .setAttribute(let file), .lock(let file):
                [inode(file)]
            }
        return ([name(of: change)] + words).joined(separator: " ") + "\n"
    }

    static func inode(_ descriptor: Int32) -> String {
        if descriptor == AT_FDCWD { return "-" }
        return (try? Syscall.status(of: descriptor, path: HostPath(""))).map { String($0.inode) } ?? "?"
    }

    private static func hex(_ text: UnsafePointer<CChar>) -> String {
        hex(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
