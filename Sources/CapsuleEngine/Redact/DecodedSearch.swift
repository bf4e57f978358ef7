import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem
import Synchronization

/// Records whether a search reached something that is too long or too deep to be searched.
final class SearchLimits: Sendable {
    private let reached = Atomic<Bool>(false)

    var isReached: Bool { reached.load(ordering: .relaxed) }

    /// - Returns: true, since what can't be searched may have a secret.
    func reach() -> Bool {
        reached.store(true, ordering: .relaxed)
        return true
    }
}

/// Searches bytes for known secrets, in all that the bytes are when they are decoded: inflated, read as a property list, a database or an
/// archive, with escapes and digits resolved, and all of this again inside.
struct DecodedSearch: Sendable {
    private static let deepest = 8
    private static let shortest = 8
    private static let zip: [UInt8] = [0x50, 0x4B, 3, 4]

    let secrets: SecretMatcher
    /// The number of archives around the bytes.
    let archives: Int
    var limits = SearchLimits()
    private let ignoresOtherCases: Bool

    init(_ secrets: SecretMatcher, archives: Int) {
        self.secrets = secrets
        self.archives = archives
        ignoresOtherCases = secrets.ignoresOtherCases
    }

    /// Returns true if the bytes have a secret, and also if they are too long or too deep to be decoded.
    func isIn(_ bytes: [UInt8], depth: Int = 0) -> Bool {
        secrets.isIn(bytes) || isInside(bytes, depth: depth)
    }

    func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        secrets.isIn(bytes) || !SecretDecoding.isPlain(bytes) && isInside(Array(bytes))
    }

    /// Does the same for bytes that have no secret as they are.
    func isInside(_ bytes: [UInt8], depth: Int = 0) -> Bool {
        guard bytes.count >= Self.shortest, !secrets.isEmpty else { return false }
        if bytes.withUnsafeBytes({ isInPart(of: $0, depth: depth) }) { return true }
        // The pixels of a picture have no texts.
        guard depth < Self.deepest, ImageHeader(bytes) == nil else { return false }
        // Core Data puts a byte before data that could also be in a file.
        if isInDocument(bytes, depth) || bytes.first == 1 && isInDocument(Array(bytes.dropFirst()), depth) { return true }
        let decoding = SecretDecoding(bytes)
        let isRead = decoding.readings.contains { reading in
            reading.withUnsafeBytes { secrets.isIn($0) || isInPart(of: $0, depth: depth + 1) }
        }
        if isRead || isInLowerCase(bytes) { return true }
        let bare = CompressedData.inflateBare(bytes, limit: Int(ComparedContent.longest))
        return (decoding.inner + (bare.map { [$0] } ?? [])).contains { isIn($0, depth: depth + 1) }
    }

    /// Searches the compressed streams in some bytes, and the database or the zip that they are.
    func isInPart(of bytes: UnsafeRawBufferPointer, depth: Int = 0) -> Bool {
        var isFound = false
        let areAll = CompressedData.forEachStream(in: bytes, limit: Int(ComparedContent.longest)) { inner in
            isFound = depth < Self.deepest ? isIn(inner, depth: depth + 1) : limits.reach()
            return !isFound
        }
        if isFound || isInFile(bytes) { return true }
        return !areAll && limits.reach()
    }

    private func isInLowerCase(_ bytes: [UInt8]) -> Bool {
        guard ignoresOtherCases, let text = String(validating: bytes, as: UTF8.self) else { return false }
        return secrets.isIn(Array(text.lowercased().utf8))
    }

    /// Searches each name of a path, too: a slash is a digit of Base64.
    func isInPath(_ path: [UInt8]) -> Bool {
        isIn(path) || path.split(separator: RelativePath.slash).contains { isIn(Array($0)) }
    }

    private func isInDocument(_ bytes: [UInt8], _ depth: Int) -> Bool {
        guard PlistFormat.isBinaryOrXML(bytes),
            let value = try? PlistDocument.read(bytes, isLenient: true).value
        else { return false }
        return isIn(value, depth: depth + 1)
    }

    /// Searches the strings, the data and the keys of a value.
    func isIn(_ value: PlistValue, depth: Int = 0) -> Bool {
        var isFound = false
        PlistLeaves.forEachPlace(in: value) { _, key, leaf, _ in
            if isFound { return }
            let texts = [key, leaf?.string].compactMap { $0 }.map { Array($0.utf8) }
            switch leaf {
            case .data(let bytes)?: isFound = isIn(bytes, depth: depth)
            case .integer(let number)?: isFound = secrets.isSecret(number)
            case .real(let number)?: isFound = secrets.isSecret(number)
            default: break
            }
            isFound = isFound || texts.contains { isIn($0, depth: depth) }
        }
        return isFound
    }

    /// Searches a database, or a zip, also after a header of the app's own. Both are read as files.
    private func isInFile(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isDatabase = bytes.starts(with: DatabaseUnit.magic)
        guard let start = isDatabase ? 0 : ByteSearch.first(Self.zip, in: bytes) else { return false }
        do throws(CapsuleError) {
            let directory = try ScratchDirectory()
            let file = try directory.createFile(Array("nested".utf8))
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[start...]), at: 0)
            return try find(in: file, isDatabase: isDatabase) ?? false
        } catch {
            return limits.reach()
        }
    }
}

extension DecodedSearch {
    /// The most archives and databases in each other that are opened.
    private static let mostArchives = 4

    /// Searches an archive or a database that is the only file of a private directory.
    /// - Returns: nil for a file that can't be opened, which then has nothing but its bytes.
    func find(in file: ScratchFile, isDatabase: Bool = false) throws(CapsuleError) -> Bool? {
        guard archives < Self.mostArchives else { return limits.reach() }
        let path = isDatabase ? file.path.directory : file.path
        let inner: OpenedContainer
        do throws(CapsuleError) {
            inner = try Container(path.bytes).openLeniently()
        } catch {
            if error.code == .interrupted { throw error }
            return nil
        }
        do throws(CapsuleError) {
            try RedactionProof(secrets: secrets, opened: inner, depth: archives + 1).run(isKept: { _ in false }, jobs: 1)
            return false
        } catch {
            if error.code == .interrupted { throw error }
            // Only a secret is an ordinary failure: a limit, the time or a full disk ends the search.
            return error.code == .failure ? true : limits.reach()
        }
    }
}
