import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList

/// Removes secrets from the content of a file, by its format.
struct ContentRedactor {
    private static let deepest = 3

    let redaction: Redaction
    let secrets: FileSecrets

    /// Returns the bytes without secrets; nil if there are none.
    func redacted(_ content: ComparedContent, depth: Int = 0) throws(CapsuleError) -> [UInt8]? {
        // The proof refuses a picture with a secret: zeros would break it.
        if ImageHeader(try content.head()) != nil { return nil }
        guard let bytes = try content.all() else {
            let window = content.window(capacity: 1 << 20)
            guard try window.contains({ redaction.secrets.isIn($0) }, longest: redaction.secrets.longest) else { return nil }
            throw CapsuleError("has secrets, and is larger than \(ComparedContent.longest >> 20) MiB")
        }
        // Zeros would break an archive, which has checksums, and the indexes of a database, so that the proof refuses them if they have a secret.
        let isArchive = InputKind.isArchive(bytes) && GzipHeader(bytes) == nil || TarChecksum.isRight(in: bytes)
        if isArchive || bytes.starts(with: DatabaseUnit.magic) { return nil }
        for format in try ContentFormats.candidates(content) {
            switch format {
            case is TextContents:
                if let text = try? TextContent(bytes) { return redacted(text) }
            case is WrappedContents where depth < Self.deepest:
                guard let inner = CompressedData.inflate(bytes, limit: Int(ComparedContent.longest)) else { break }
                // The header of gzip may have a name.
                guard
                    let redacted = try redacted(ComparedContent(inner), depth: depth + 1)
                        ?? (redaction.zeroed(bytes) == nil ? nil : inner)
                else { return nil }
                return CompressedData.deflate(redacted, like: bytes)
            case is CookieContents:
                if let cookies = try? redactedCookies(bytes) { return cookies == bytes ? nil : cookies }
            case _ where format.isPropertyList:
                if let document = try? PlistDocument.read(bytes, isLenient: true) { return try redacted(document) }
            default: break
            }
        }
        return redaction.zeroed(bytes)
    }

    private func redacted(_ text: TextContent) -> [UInt8]? {
        redaction.text(text.utf8, secrets.ranges).map { text.encoding.bytes(of: $0, hasMark: text.hasMark) }
    }

    private func redacted(_ document: PlistDocument) throws(CapsuleError) -> [UInt8]? {
        if let key = document.warnings.first(where: { $0.code == .duplicateKey }) {
            throw CapsuleError("can't be searched for secrets: \(key.message)")
        }
        let edited = try redaction.document(document, secrets)
        // Comments of a text are not part of its value.
        guard document.format == .xml || document.format == .openStep, let text = try? TextContent(edited ?? document.bytes),
            let bytes = redacted(text), let value = try? PlistDocument.read(edited ?? document.bytes, isLenient: true).value,
            (try? PlistDocument.read(bytes, isLenient: true))?.value == value
        else { return edited }
        return bytes
    }

    private func redactedCookies(_ bytes: [UInt8]) throws(ContentError) -> [UInt8] {
        let replaced = try BinaryCookies.replacingValues(in: bytes) { value in
            redaction.text(value, secrets.ranges(ofCookie: value)) ?? value
        }
        return redaction.zeroed(replaced) ?? replaced
    }
}

extension CompressedData {
    /// Returns what gzip or zlib data has in it; nil for other data.
    static func opened(_ bytes: [UInt8]) -> [UInt8]? {
        guard GzipHeader(bytes) != nil || WrappedContent(bytes) == .zlib else { return nil }
        return inflate(bytes, limit: Int(ComparedContent.longest))
    }
}
