import CapsuleArchive
import CapsuleCore

/// Some versions of a capsule, as the user chose them.
struct VersionSelection {
    /// The oldest first.
    let footers: [Footer]
    /// The numbers of all others that could be found, the oldest first.
    let dropped: [UInt32]
    /// Whether there are others, behind a damaged footer, that could not be found.
    let leavesDamage: Bool

    var numbers: [UInt32] { footers.map(\.version) }

    /// - Parameter selectors: nil for all versions.
    /// - Throws: also for a version that there is not. Where an old version's footer is damaged, those behind it can still be
    ///   chosen.
    init(of capsule: CapsuleReader, _ selectors: [VersionSelector]?) throws(CapsuleError) {
        let (found, problem) = capsule.readableFooters()
        guard let selectors else {
            if let problem {
                throw CapsuleError(
                    problem, hint: "name readable versions with '--keep', such as 'latest', to leave out damaged ones")
            }
            footers = found.reversed()
            dropped = []
            leavesDamage = false
            return
        }
        var chosen: Set<UInt32> = []
        for selector in selectors {
            do throws(ArchiveError) {
                chosen.insert(try capsule.footer(of: selector).version)
            } catch {
                throw StoredVersion.error(error, reading: selector, of: capsule)
            }
        }
        footers = found.reversed().filter { chosen.contains($0.version) }
        leavesDamage = problem != nil
        dropped = found.reversed().map(\.version).filter { !chosen.contains($0) }
    }
}
