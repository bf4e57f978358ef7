import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleHashing
import CapsuleSystem

/// Reads a foreign archive. If it can be read, its names stay inside, its files have the listed sizes, and a capsule of it has the
/// same entries and passes verification. The bytes are tried unchanged, and with corrected checksums in the tar headers.
enum ArchiveRound {
    /// The largest total size of files that are packed; a larger archive is only listed.
    private static let mostBytes: UInt64 = 8 << 20
    /// Path components that a safe name never has.
    private static let unsafe: [[UInt8]] = [[], Array(".".utf8), Array("..".utf8)]

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        if let complaint = check(bytes) { return complaint }
        let repaired = withChecksums(bytes)
        return repaired == bytes ? nil : check(repaired).map { "with its checksums written anew: \($0)" }
    }

    /// Returns a tar archive with correct checksums in its headers. Without them, a changed header would only end the archive.
    private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for start in stride(from: 0, through: bytes.count - 512, by: 512)
        where bytes[(start + 257)...].starts(with: "ustar".utf8) {
            bytes.replaceSubrange(start + 148..<start + 156, with: "        ".utf8)
            let sum = bytes[start..<start + 512].reduce(0) { $0 + Int($1) }
            // Six digits are enough for any checksum; the seventh is a leading zero.
            bytes.replaceSubrange(start + 148..<start + 154, with: String(1 << 18 + sum, radix: 8).utf8.dropFirst())
            bytes[start + 154] = 0
        }
        return bytes
    }

    private static func check(_ bytes: [UInt8]) -> String? {
        guard let file = InputFile(bytes, named: "input") else { return "no temporary directory" }
        defer { file.remove() }
        do throws(CapsuleError) {
            let archive = try ForeignArchive.read(
                try CapsuleFile(opening: file.path))
            if let complaint = complaint(about: archive.listing) { return complaint }
            let size = archive.listing.entries.reduce(UInt64(0)) { $0 &+ min($1.size, mostBytes + 1) }
            if size > mostBytes { return nil }
        } catch {
            return error.message.isEmpty ? "an error that says nothing" : nil
        }
        do throws(CapsuleError) {
            return try pack(Container(file.path.bytes), to: file.beside("output.capsule"))
        } catch {
            return error.complaint
        }
    }

    /// Finds names that leave the tree, occur twice, or have a parent that is not a directory.
    private static func complaint(about listing: ForeignListing) -> String? {
        var kinds: [[UInt8]: EntryKind] = [:]
        for entry in listing.entries {
            let components = entry.path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isSafe = components.allSatisfy { !$0.contains(0) && !unsafe.contains(Array($0)) }
            guard isSafe else { return "the unsafe name \(entry.path)" }
            guard kinds.updateValue(entry.kind, forKey: entry.path.bytes) == nil else { return "\(entry.path) comes twice" }
            if entry.kind == .link, entry.target.isEmpty || entry.target.contains(0) { return "a link that leads nowhere" }
        }
        let orphan = listing.entries.first { entry in
            guard let parent = entry.path.parent, !parent.isRoot else { return false }
            return kinds[parent.bytes] != .directory
        }
        return orphan.map { "\($0.path) lies in no directory" }
    }

    private static func pack(_ container: Container, to output: HostPath) throws(CapsuleError) -> String? {
        let files = try container.openLeniently()
        let listed = try ContainerListing(container, digesting: true).entries()
        for (number, entry) in files.entries.enumerated() where entry.kind.hasContent {
            let bytes = try files.bytes(of: number)
            guard UInt64(bytes.count) == entry.size else { return "\(entry.path) has another size when it is read" }
            let digest = listed.first { $0.root == entry.root && $0.path == entry.path }?.digest
            guard digest == nil || digest == SHA256Hasher.digest(of: bytes) else { return "\(entry.path) is digested otherwise" }
        }
        _ = try Packer(options: PackOptions(captured: Timestamp(seconds: 0))).pack(container, to: output)
        let packed = try ContainerListing(Container(output.bytes)).entries()
        // A capsule records the usual value of a fact that the archive does not have.
        let known = listed.map { entry in
            var entry = entry
            entry.unknown = []
            return entry
        }
        guard packed == known else { return "a capsule of it has other entries" }
        let outcome = try Verifier(isStrict: true, jobs: 1).verify(output)
        return outcome.findings.first.map { "a capsule of it is not whole: \($0.message)" }
    }
}
