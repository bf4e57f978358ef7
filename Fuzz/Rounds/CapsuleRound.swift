import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleHashing

/// Reads a capsule. Both ways to list it agree, each file has the digest in the index or causes an error, and if `verify` finds no
/// damage, everything can be read. The bytes are tried unchanged, and with corrected checksums.
enum CapsuleRound {
    /// The largest total size of versions that are read; larger ones are only listed.
    private static let mostBytes: UInt64 = 8 << 20

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        if let complaint = check(bytes) { return complaint }
        guard let repaired = CapsuleRepair.repaired(bytes) else { return nil }
        return check(repaired).map { "with its checksums written anew: \($0)" }
    }

    private static func check(_ bytes: [UInt8]) -> String? {
        guard let file = InputFile(bytes, named: "input.capsule") else { return "no temporary directory" }
        defer { file.remove() }
        do throws(CapsuleError) {
            return try check(file.path)
        } catch {
            return error.complaint
        }
    }

    private static func check(_ path: HostPath) throws(CapsuleError) -> String? {
        let versions = try VersionLog(path).versions
        if versions.isEmpty { return "a log without versions" }
        let claimed = versions.reduce(UInt64(0)) { $0 &+ min($1.details?.bytes ?? 0, mostBytes + 1) }
        var unreadable: CapsuleError?
        for version in versions {
            let container = Container(path.bytes + Array("@\(version.number)".utf8))
            do throws(CapsuleError) {
                let files = try container.openLeniently()
                if let complaint = try compare(files, container) { return complaint }
                if claimed > mostBytes { continue }
                let (complaint, failure) = read(files)
                if let complaint { return complaint }
                unreadable = unreadable ?? failure
            } catch {
                unreadable = unreadable ?? error
            }
        }
        if let complaint = unreadable?.complaint { return complaint }
        return claimed > mostBytes ? nil : try verify(path, unreadable)
    }

    /// Compares listing a version block by block with listing it at once.
    private static func compare(_ files: OpenedContainer, _ container: Container) throws(CapsuleError) -> String? {
        let listed: [TreeEntry]
        do throws(CapsuleError) {
            listed = try ContainerListing(container).entries()
        } catch {
            return "opens, and can't be listed: \(error)"
        }
        let expected = files.entries.filter { $0.root != .wrapper && $0.root != .carried }
        return listed == expected ? nil : "a version that is listed in two ways"
    }

    /// Reads all files, first from their middle on.
    ///
    /// - Returns: the first property that does not hold, and the first error.
    private static func read(_ files: OpenedContainer) -> (complaint: String?, failure: CapsuleError?) {
        var failure: CapsuleError?
        for (number, entry) in files.entries.enumerated() where entry.kind.hasContent {
            do throws(CapsuleError) {
                let end = try files.bytes(of: number, from: entry.size / 2)
                let bytes = try files.bytes(of: number)
                guard UInt64(bytes.count) == entry.size, SHA256Hasher.digest(of: bytes) == entry.digest else {
                    return ("\(entry.path) is read with other bytes than its digest is of", nil)
                }
                guard bytes[Int(entry.size / 2)...].elementsEqual(end) else {
                    return ("\(entry.path) has two second halves", nil)
                }
            } catch {
                failure = failure ?? error
            }
        }
        return (nil, failure)
    }

    private static func verify(_ path: HostPath, _ unreadable: CapsuleError?) throws(CapsuleError) -> String? {
        let plain = try Verifier(isStrict: false, jobs: 1).verify(path)
        let strict = try Verifier(isStrict: true, jobs: 1).verify(path)
        if let unreadable, plain.isWhole || strict.isWhole { return "is whole, and can't be read: \(unreadable)" }
        if strict.isWhole, !plain.isWhole { return "only a strict look finds it whole" }
        let findings = plain.findings + strict.findings
        return findings.contains { $0.message.isEmpty } ? "a finding that says nothing" : nil
    }
}

extension OpenedContainer {
    /// Returns a file's bytes from an offset to its end.
    func bytes(of number: Int, from offset: UInt64 = 0) throws(CapsuleError) -> [UInt8] {
        let content = try open(number)
        let size = entries[number].size
        return try [UInt8](reading: Int(size - min(offset, size))) { (room) throws(CapsuleError) in
            try content.read(at: offset, into: room)
        }
    }
}
