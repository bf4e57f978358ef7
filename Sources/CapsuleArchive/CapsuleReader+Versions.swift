package import CapsuleCore

/// Which versions there are.
extension CapsuleReader {
    /// The footers of all versions, newest first.
    package func footers() throws(ArchiveError) -> [Footer] {
        let (footers, failure) = readableFooters()
        if let failure { throw failure }
        return footers
    }

    /// The footers of the versions that can be reached from the newest, newest first, and why there are no more, if one is
    /// damaged.
    package func readableFooters() -> (footers: [Footer], failure: ArchiveError?) {
        var footers = [newest]
        do throws(ArchiveError) {
            while let last = footers.last, let earlier = try FooterChain.footer(before: last, in: file) {
                footers.append(earlier)
            }
            return (footers, nil)
        } catch {
            return (footers, error)
        }
    }

    /// The footer of one version.
    ///
    /// - Throws: ``ArchiveError`` with the code `noSuchVersion`.
    package func footer(of selector: VersionSelector) throws(ArchiveError) -> Footer {
        if selector == .latest { return newest }
        let (footers, failure) = readableFooters()
        guard let failure else { return try footer(of: selector, among: footers) }
        // What lies behind the damage can't be reached: the first version does, and what was looked for in vain may.
        if selector == .first { throw failure }
        do throws(ArchiveError) {
            return try footer(of: selector, among: footers)
        } catch {
            throw error.code == .noSuchVersion ? failure : error
        }
    }

    /// The footer of one of some versions, newest first.
    ///
    /// - Throws: ``ArchiveError`` with the code `noSuchVersion`.
    package func footer(of selector: VersionSelector, among footers: [Footer]) throws(ArchiveError) -> Footer {
        let found: Footer? =
            switch selector {
            case .number(let number): footers.first { $0.version == number }
            case .first: footers.last
            case .beforeLatest(let back): footers.dropFirst(Int(back)).first
            case .label(let label): try self.footer(labelled: label, among: footers)
            }
        guard let found else {
            let versions = footers.count == 1 ? "1 version" : "\(footers.count) versions"
            throw ArchiveError(.noSuchVersion, "cannot read version \(selector.spelled): it has \(versions)", path: file.path)
        }
        return found
    }

    private func footer(labelled label: VersionLabel, among footers: [Footer]) throws(ArchiveError) -> Footer? {
        var failure: ArchiveError?
        for footer in footers {
            do throws(ArchiveError) {
                if try manifest(of: footer).label == label { return footer }
            } catch {
                // The label may be that of a version behind one whose manifest can't be read.
                guard error.code == .damaged else { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// What versions may be called: their labels and numbers, and the words for first and last.
    package func versionNames() throws(ArchiveError) -> [String] {
        var names = ["latest", "first"]
        for footer in try footers() {
            names.append(String(footer.version))
            if let label = try manifest(of: footer).label { names.append(label.text) }
        }
        return names
    }
}
