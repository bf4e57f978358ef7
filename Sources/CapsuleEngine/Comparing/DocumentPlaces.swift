import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

/// Hands the property lists and the JSON of both sides to a search for places that clauses name.
struct DocumentPlaces {
    let old: ComparedSide
    let new: ComparedSide

    /// Files that are looked at for one clause.
    private static let fileLimit = 2_000
    /// Bytes that are read, and those that come out of compressed files, together.
    private static let byteLimit = 64 << 20

    /// Looks at the files that the clauses are about, until all is found.
    func look(_ search: inout PlaceSearch) throws(CapsuleError) {
        var places: [RelativePath: [(side: ComparedSide, place: Int)]] = [:]
        for side in [old, new] {
            for (place, entry) in side.tree.entries.enumerated()
            where entry.kind == .file && entry.isListed && search.concerns(entry.path) {
                places[entry.path, default: []].append((side, place))
            }
        }
        let paths = places.keys.sorted()
        search.leaveOut(of: paths, moreThan: Self.fileLimit)
        // A clause that is about a database is left out before anything is read for it.
        for path in paths where search.concerns(path) {
            try CapsuleError.checkInterruption()
            let found = places[path] ?? []
            if found.contains(where: { $0.side.failures[$0.place] != nil || $0.side.isDatabase($0.place) }) {
                search.takeUnknown(at: path)
            }
        }
        var bytes = Self.byteLimit
        for path in paths {
            var seen: Set<ContentDigest> = []
            for (side, place) in places[path] ?? [] where search.concerns(path) {
                try CapsuleError.checkInterruption()
                // Most files are the same on both sides.
                guard seen.insert(side.tree.entries[place].digest).inserted else { continue }
                switch try document(side, place, &bytes) {
                case .value(let value): search.look(into: value, at: path)
                case .noPlaces: break
                case .unknown: search.takeUnknown(at: path)
                }
            }
        }
    }

    private enum Document {
        case value(PlistValue)
        /// It has no places: a text, or an image.
        case noPlaces
        /// What can't be read, or is too much.
        case unknown
    }

    private func document(_ side: ComparedSide, _ place: Int, _ left: inout Int) throws(CapsuleError) -> Document {
        do throws(CapsuleError) {
            var content = ComparedContent(try side.open(place), size: side.tree.entries[place].size)
            for _ in 0...ContentComparer.deepest {
                let kind = ContentKind.candidates(try content.head(), size: content.size).first ?? .bytes
                switch kind {
                case .sqlite: return .unknown
                case .text, .image, .cookies, .bytes: return .noPlaces
                case .plist, .json, .gzip, .zlib: break
                }
                guard content.size <= UInt64(left), let bytes = try content.all() else { return .unknown }
                left -= bytes.count
                if kind == .plist || kind == .json {
                    do throws(PlistError) {
                        return .value(try kind == .json ? JSONContent.read(bytes) : PlistReader.readLeniently(bytes).value)
                    } catch {
                        return .unknown
                    }
                }
                guard let inflated = CompressedData.inflate(bytes, limit: left) else { return .unknown }
                content = ComparedContent(inflated)
            }
            return .unknown
        } catch {
            if error.code == .interrupted { throw error }
            return .unknown
        }
    }
}
