import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import CapsuleSystem

/// Combines several overlays that are applied one after the other into one overlay, with the bytes that it needs.
package struct OverlayComposer: Sendable {
    private var package: OverlayPackage?
    private var modes: [FileMode] = []

    package init() {}

    /// Adds an overlay that is applied after all overlays added before.
    /// - Throws: `CapsuleError` if one overlay can't express both, and for bytes that don't match their digest.
    package mutating func add(_ source: OverlaySource) throws(CapsuleError) {
        let next = try source.package()
        let before = package ?? OverlayPackage(overlay: Overlay(conditions: next.overlay.conditions, targets: []))
        let composition: OverlayComposition
        do throws(OverlayError) {
            composition = try before.overlay.composition(with: next.overlay)
        } catch {
            throw source.error(error)
        }
        package = try Self.joined(before, next, composition)
        modes += [source.fileMode].compactMap { $0 }
    }

    package func write(to output: OutputFile, captured: Timestamp, jobs: Int) throws(CapsuleError) {
        try output.limited(to: modes).write(
            package ?? OverlayPackage(overlay: Overlay(targets: [])), captured: captured, jobs: jobs)
    }

    static func joined(
        _ first: OverlayPackage, _ next: OverlayPackage, _ composition: OverlayComposition
    ) throws(CapsuleError) -> OverlayPackage {
        var overlay = composition.overlay
        let carried = CombinedPayload([first.contents, next.contents])
        var assembled: [SourcePayload.Content] = []
        var places: [RelativePath: Int] = [:]
        if !composition.contents.isEmpty {
            for (number, record) in overlay.files.enumerated() { places[record.path] = number }
        }
        for content in composition.contents {
            guard let number = places[content.path] else { continue }
            try assemble(content, of: &overlay.files[number], carried, &assembled)
        }
        return OverlayPackage(
            overlay: overlay, contents: CombinedPayload([carried, assembled.isEmpty ? nil : SourcePayload(assembled)]),
            origin: try origin(first.origin, next.origin))
    }

    /// Assembles a content from carried ranges, and writes its digest into the record.
    private static func assemble(
        _ content: OverlayComposition.Content, of record: inout FileRecord, _ carried: CombinedPayload?,
        _ assembled: inout [SourcePayload.Content]
    ) throws(CapsuleError) {
        let path = HostPath(content.path.bytes)
        let segments = content.content.carried
        var size: UInt64 = 0
        for segment in segments {
            guard case .carried(let digest, let whole) = segment.source else { continue }
            size += segment.range.length
            guard carried?.has(digest, size: whole) != true else { continue }
            guard !content.isNew else { throw CapsuleError("neither overlay contains what its recipes need", path: path) }
            // An overlay that lacks the bytes for undoing it makes the combined one lack them too.
            record.old?.content?.recipe = nil
            return
        }
        let open = { @Sendable () throws(CapsuleError) -> any OpenContent in
            var parts: [(content: any OpenContent, range: Range<UInt64>)] = []
            for segment in segments {
                guard case .carried(let digest, let whole) = segment.source else { continue }
                guard let part = try carried?.open(digest, size: whole) else {
                    throw CapsuleError("neither overlay contains what its recipes need", path: path)
                }
                parts.append((part, segment.range))
            }
            return RecipeContent(parts)
        }
        let digest = try Self.digest(of: try open(), size: size, path)
        if content.content.isWhole {
            let wanted = content.isNew ? record.new?.content : record.old?.content
            guard wanted?.digest == digest else {
                throw CapsuleError("its content in the overlays does not match the recorded digest", path: path)
            }
        } else if content.isNew {
            record.new?.content?.recipe?.carried = digest
        } else {
            record.old?.content?.recipe?.carried = digest
        }
        assembled.append(SourcePayload.Content(digest: digest, size: size, open: open))
    }

    static func digest(
        of content: any OpenContent, size: UInt64, _ path: HostPath
    ) throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { room.deallocate() }
        var offset: UInt64 = 0
        while offset < size {
            try CapsuleError.checkInterruption()
            let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(UInt64(room.count), size - offset))])
            let count = try content.read(at: offset, into: wanted)
            guard count > 0 else { throw CapsuleError("ends before its \(size) bytes", path: path) }
            hasher.update(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
            offset += UInt64(count)
        }
        return hasher.finish()
    }

    private static func origin(
        _ first: OverlayPackage.Origin?, _ next: OverlayPackage.Origin?
    ) throws(CapsuleError) -> OverlayPackage.Origin? {
        guard var origin = first, let next else { return first ?? next }
        guard origin.layout == next.layout else {
            throw CapsuleError("one overlay is for app containers, the other for plain directories")
        }
        origin.groups = Set(origin.groups).union(next.groups).sorted { $0.lexicographicallyPrecedes($1) }
        return origin
    }
}

/// The contents of an overlay that is being made. They are read at their source.
struct SourcePayload: OverlayPayload {
    struct Content: Sendable {
        let digest: ContentDigest
        let size: UInt64
        let open: @Sendable () throws(CapsuleError) -> any OpenContent
    }

    private var contents: [ContentDigest: Content] = [:]

    init(_ contents: some Sequence<Content>) {
        for content in contents where self.contents[content.digest] == nil { self.contents[content.digest] = content }
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        guard has(digest, size: size) else { return nil }
        return try contents[digest]?.open()
    }

    func has(_ digest: ContentDigest, size: UInt64) -> Bool { contents[digest]?.size == size }
}

/// The contents of several overlays together.
private struct CombinedPayload: OverlayPayload {
    private let parts: [any OverlayPayload]

    init?(_ parts: [(any OverlayPayload)?]) {
        self.parts = parts.compactMap { $0 }
        if self.parts.isEmpty { return nil }
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        for part in parts {
            if let content = try part.open(digest, size: size) { return content }
        }
        return nil
    }

    func has(_ digest: ContentDigest, size: UInt64) -> Bool { parts.contains { $0.has(digest, size: size) } }
}
