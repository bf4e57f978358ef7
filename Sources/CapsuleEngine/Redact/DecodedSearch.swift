import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Searches bytes for known secrets, in all that the bytes are when they are decoded: inflated, read as a property list or an archive, with
/// escapes and Base64 resolved, and all of this again inside.
struct DecodedSearch: Sendable {
    private static let deepest = 4

    let secrets: SecretMatcher
    /// The number of archives around the bytes.
    let archives: Int

    func isIn(_ bytes: [UInt8], depth: Int = 0) -> Bool {
        if secrets.isIn(bytes) { return true }
        guard depth < Self.deepest, bytes.count >= Self.shortest else { return false }
        // Core Data puts a byte before data that could also be in a file.
        if bytes.first == 1, isInside(Array(bytes.dropFirst()), depth) { return true }
        if isInside(bytes, depth) { return true }
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        return SecretSpelling.decodings(of: bytes, isText: isText).contains { isIn($0, depth: depth + 1) }
    }

    private static let shortest = 8

    private func isInside(_ bytes: [UInt8], _ depth: Int) -> Bool {
        if let inner = CompressedData.opened(bytes) { return isIn(inner, depth: depth + 1) }
        if bytes.starts(with: Self.zip) { return isInArchive(bytes) }
        guard [.binary, .xml].contains(PlistFormat.sniff(bytes)),
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
            if case .data(let bytes)? = leaf { isFound = isIn(bytes, depth: depth) }
            isFound = isFound || texts.contains { isIn($0, depth: depth) }
        }
        return isFound
    }

    private static let zip: [UInt8] = [0x50, 0x4B, 3, 4]

    /// Returns true also if the archive can't be copied to be read.
    private func isInArchive(_ bytes: [UInt8]) -> Bool {
        guard archives < RedactionProof.deepest else { return false }
        do throws(CapsuleError) {
            let directory = try ScratchDirectory()
            let file = try directory.createFile(Array("archive".utf8))
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in try file.write(bytes, at: 0) }
            guard let inner = try? Container(file.path.bytes).openLeniently() else { return false }
            try RedactionProof(secrets: secrets, opened: inner, depth: archives + 1).run(isKept: { _ in false }, jobs: 1)
            return false
        } catch {
            return true
        }
    }
}
