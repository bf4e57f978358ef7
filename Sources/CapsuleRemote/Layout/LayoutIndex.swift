import CapsuleCore
import CapsulePropertyList

/// The file `index.json` of a layout: the manifests, with their tags (OCI image-spec, image-layout.md). Other programs write it, too.
struct LayoutIndex {
    /// A manifest that the index names.
    struct Entry {
        let blob: OCIManifest.Blob
        /// The type of the manifest, if the index says it.
        let type: String?
    }

    static let name = Array("index.json".utf8)
    static let lengthLimit = 4 << 20
    static let empty = Array(
        "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"manifests\":[]}".utf8)
    private static let tagKey: PlistString = "org.opencontainers.image.ref.name"
    private static let depth = 32

    private let document: PlistDocument
    private let list: PlistDictionary
    private let items: [PlistValue]
    private let path: HostPath

    /// - Parameter path: the address for messages.
    init(_ bytes: [UInt8], path: HostPath) throws(CapsuleError) {
        do throws(PlistError) {
            document = try PlistDocument.read(
                bytes, accepting: [.json], limits: PlistLimits(depth: Self.depth, documentBytes: Self.lengthLimit))
        } catch {
            throw CapsuleError(.damaged, "its index.json is not valid: \(error.message)", path: path)
        }
        guard let list = document.value.dictionary, let items = list["manifests"]?.array else {
            throw CapsuleError(.damaged, "its index.json has no manifests", path: path)
        }
        (self.list, self.items, self.path) = (list, items, path)
    }

    /// The tags of manifests. Others name what refers to them.
    var tags: [String] { Set(items.compactMap(Self.tag)).filter { !OCIDigest.isReferrersTag($0) }.sorted() }

    private static func tag(of item: PlistValue) -> String? { item.dictionary?.object("annotations")?.text(tagKey) }

    /// Returns the manifest with a tag, or without a tag the only one; nil if there is none.
    /// - Throws: also if there are several.
    func entry(_ tag: String?) throws(CapsuleError) -> Entry? {
        let found = items.filter { item in
            let own = Self.tag(of: item)
            return if let tag { own == tag } else { own.map { !OCIDigest.isReferrersTag($0) } ?? true }
        }
        guard let first = found.first?.dictionary else { return nil }
        guard found.allSatisfy({ $0.dictionary?.text("digest") == first.text("digest") }) else {
            guard let tag else {
                throw CapsuleError(
                    .usage, "the layout has several manifests", path: path,
                    hint: "name one of them by its tag: \(tags.joined(separator: ", "))")
            }
            throw CapsuleError(.damaged, "the layout has several manifests with the tag '\(tag)'", path: path)
        }
        do throws(DescriptorProblem) {
            return Entry(blob: try OCIManifest.Blob(first, limit: UInt64(OCIManifest.lengthLimit)), type: first.text("mediaType"))
        } catch {
            throw CapsuleError(.damaged, "its index.json has a manifest \(error.reason)", path: path)
        }
    }

    /// Returns the file's bytes in which a tag names another manifest. All others stay as they are, to the byte.
    func bytes(tagging manifest: [UInt8], _ tag: String, type: String = OCIManifest.mediaType) throws(CapsuleError) -> [UInt8] {
        let entry: PlistValue = [
            "mediaType": .string(PlistString(type)),
            "digest": .string(PlistString(OCIDigest(of: manifest).text)),
            "size": .integer(PlistInteger(UInt64(manifest.count))),
            "annotations": .dictionary(PlistDictionary([(Self.tagKey, .string(PlistString(tag)))])),
        ]
        var items = items
        let place = items.firstIndex { Self.tag(of: $0) == tag }
        items.removeAll { Self.tag(of: $0) == tag }
        items.insert(entry, at: place ?? items.count)
        var list = list
        list["manifests"] = .array(items)
        do throws(PlistError) {
            return try document.bytes(holding: .dictionary(list))
        } catch {
            throw CapsuleError(.damaged, "its index.json can't be changed: \(error.message)", path: path)
        }
    }
}
