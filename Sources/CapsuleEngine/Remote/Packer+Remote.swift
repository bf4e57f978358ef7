import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleRemote
import CapsuleSystem

extension Packer {
    /// The number of tries, since another push may come between. Of those at once, only one is the first.
    private static let mostTries = 20

    /// Returns true if an argument begins like the address of a server.
    package static func isAddress(_ argument: [UInt8]) -> Bool { RemoteAddress.isAddress(argument) }

    /// Packs `container` as the next version of a capsule on a server, or as the first one if there is none. Only the index of the versions
    /// there is fetched, and only the new version is sent. Files that changed are stored whole.
    /// - Parameter argument: the address.
    /// - Returns: the outcome, whose path is the address with the digest of the new manifest.
    package func append(
        _ container: Container, toAddress argument: [UInt8], _ append: AppendOptions
    ) throws(CapsuleError) -> Outcome {
        guard let name = try RemoteName(argument), try name.selector() == .latest else {
            throw CapsuleError(
                .usage, "is not the address of a whole capsule", path: HostPath(RemoteName.shown(argument)),
                hint: "write oci://HOST/NAME:TAG")
        }
        let repository = try RemoteAccess.repository(name.address, .push)
        for number in 1... {
            do throws(CapsuleError) {
                return try self.append(container, to: name, in: repository, append)
            } catch {
                // Another push came first, and its version is the one to follow.
                guard error.code == .exists || error.code == .changed else { throw error }
                guard number < Self.mostTries, try container.isLive else {
                    throw error.hinting("other commands add to this tag: run this one again")
                }
            }
        }
        preconditionFailure("the loop returns or throws")
    }

    private func append(
        _ container: Container, to name: RemoteName, in repository: any CapsuleRepository, _ append: AppendOptions
    ) throws(CapsuleError) -> Outcome {
        var opened = try open(container)
        let spool = try SpoolFile()
        var outcome: Outcome
        let whole: CapsuleFile
        if try repository.manifestIfThere() == nil {
            outcome = try pack(&opened, to: SpooledMembers(spool))
            whole = try CapsuleFile(adopting: try spool.duplicate(), path: repository.path)
        } else {
            let capsule = try CapsuleReader(try name.open(isNew: true))
            try capsule.refuseOverlay()
            let history = CapsuleHistory(
                capsule, jobs: options.jobs, cache: options.container.cacheDirectory.map { CatalogCache($0) })
            try check(opened, against: history, append)
            // Reading back what is shared would fetch it.
            let base = try BaseReading(capsule, readsBack: false, jobs: options.jobs)
            outcome = try write(&opened, to: repository.path, before: history.last.end) {
                (opened, versions) throws(CapsuleError) in
                let writer = CapsuleWriter(
                    output: SpooledMembers(spool), codec: capsule.codec, following: history.last,
                    version: history.newest.version + 1,
                    storedBlock: { (digest) throws(CapsuleError) in try history.block(of: digest) })
                return try versions.write(&opened, to: writer, after: history, base)
            }
            whole = CapsuleFile(GrownFile(capsule.file, through: history.last.end, spool, length: outcome.length))
        }
        let pushed = try Pusher().push(try CapsuleReader(whole), through: nil, to: repository)
        opened.statCache?.save()
        return outcome.at(HostPath(pushed.pinnedAddress))
    }
}

/// A capsule on a server, and a new version behind it that is not there yet.
private final class GrownFile: RemoteBytes {
    private let old: CapsuleFile
    private let oldLength: UInt64
    /// The new bytes, at their places in the whole file.
    private let new: SpoolFile
    let length: UInt64

    init(_ old: CapsuleFile, through oldLength: UInt64, _ new: SpoolFile, length: UInt64) {
        (self.old, self.oldLength, self.new, self.length) = (old, oldLength, new, length)
    }

    var path: HostPath { old.path }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        let count = Int(min(UInt64(buffer.count), oldLength > offset ? oldLength - offset : 0))
        if count > 0 {
            let bytes = try old.read(at: offset, count: count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count]).copyBytes(from: bytes)
        }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        if rest.isEmpty { return }
        guard try new.read(at: offset + UInt64(count), into: rest) == rest.count else {
            throw CapsuleError("the temporary file with the new version became shorter", path: new.path)
        }
    }

    func fetch(_ ranges: [Range<UInt64>]) throws(CapsuleError) {
        try old.fetch(ranges.map { $0.clamped(to: 0..<oldLength) })
    }
}
