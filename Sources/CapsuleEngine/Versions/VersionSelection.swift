import CapsuleArchive
import CapsuleCore

/// Some versions of a capsule, as the user chose them.
struct VersionSelection {
    /// The oldest first.
    let footers: [Footer]
    /// The numbers of all others that could be found, the oldest first.
    let dropped: [UInt32]

    var numbers: [UInt32] { footers.map(\.version) }

    /// - Parameter selectors: nil for all versions.
    /// - Throws: also for a version that there is not. Where an old version's footer is damaged, those behind it can still be
    ///   chosen.
    init(of capsule: CapsuleReader, _ selectors: [VersionSelector]?) throws(CapsuleError) {
        let (found, failure) = capsule.readableFooters()
        guard let selectors else {
            if let failure {
                throw CapsuleError(
                    failure,
                    hint:
                        "'--keep' with the versions from \(found.last.map { String($0.version) } ?? "latest") on leaves out what is damaged"
                )
            }
            footers = found.reversed()
            dropped = []
            return
        }
        var chosen: Set<UInt32> = []
        for selector in selectors {
            do throws(ArchiveError) {
                chosen.insert(try capsule.footer(of: selector, among: found).version)
            } catch {
                // The version may be one that can't be reached.
                if let failure, error.code == .noSuchVersion {
                    throw CapsuleError(failure, hint: StoredVersion.hint(for: failure))
                }
                throw StoredVersion.error(error, reading: selector, of: capsule)
            }
        }
        footers = found.reversed().filter { chosen.contains($0.version) }
        dropped = found.reversed().map(\.version).filter { !chosen.contains($0) }
    }
}
