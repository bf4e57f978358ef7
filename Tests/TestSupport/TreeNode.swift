package import CapsuleCore

/// An entry of a tree, as written in a test or read from disk.
package struct TreeNode: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case directory
        case file([UInt8])
        case link([UInt8])
        case pipe
        case socket
        /// Another name of the file at this path in the same tree. It is read back as a file.
        case hardLink([UInt8])
    }

    package var kind: Kind
    /// The mode; 0 for links, whose modes are not compared.
    package var mode: UInt16
    package var modified: Timestamp
    /// The extended attributes, by the names that the file system uses.
    package var attributes: [String: [UInt8]] = [:]

    /// The default modification time.
    package static let time = Timestamp(seconds: 1_715_938_200, nanoseconds: 123_456_789) ?? .epoch

    package static func file(
        _ text: String = "", mode: UInt16 = 0o644, at modified: Timestamp = time, attributes: [String: [UInt8]] = [:]
    ) -> TreeNode {
        file(Array(text.utf8), mode: mode, at: modified, attributes: attributes)
    }

    package static func file(
        _ bytes: [UInt8], mode: UInt16 = 0o644, at modified: Timestamp = time, attributes: [String: [UInt8]] = [:]
    ) -> TreeNode {
        TreeNode(kind: .file(bytes), mode: mode, modified: modified, attributes: attributes)
    }

    package static func directory(
        mode: UInt16 = 0o755, at modified: Timestamp = time, attributes: [String: [UInt8]] = [:]
    ) -> TreeNode {
        TreeNode(kind: .directory, mode: mode, modified: modified, attributes: attributes)
    }

    package static func link(_ target: String, at modified: Timestamp = time) -> TreeNode {
        link(Array(target.utf8), at: modified)
    }

    package static func link(_ target: [UInt8], at modified: Timestamp = time) -> TreeNode {
        TreeNode(kind: .link(target), mode: 0, modified: modified)
    }

    package static let pipe = TreeNode(kind: .pipe, mode: 0o644, modified: time)
    package static let socket = TreeNode(kind: .socket, mode: 0o644, modified: time)

    package static func hardLink(to path: String) -> TreeNode { hardLink(to: Array(path.utf8)) }

    package static func hardLink(to path: [UInt8]) -> TreeNode {
        TreeNode(kind: .hardLink(path), mode: 0o644, modified: time)
    }
}

extension TreeNode: CustomStringConvertible {
    package var description: String {
        let facts = "\(String(mode, radix: 8)) \(modified.iso8601(fraction: true))\(attributes.isEmpty ? "" : " \(attributes)")"
        switch kind {
        case .directory: return "directory \(facts)"
        case .file(let bytes):
            return "file of \(bytes.count) bytes, \(String(decoding: bytes.prefix(40), as: UTF8.self)) \(facts)"
        case .link(let target): return "link to \(String(decoding: target, as: UTF8.self)) \(facts)"
        case .pipe: return "pipe"
        case .socket: return "socket"
        case .hardLink(let path): return "hard link to \(String(decoding: path, as: UTF8.self))"
        }
    }
}
