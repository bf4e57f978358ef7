import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

extension CapsuleConfig {
    private static let format: PlistInteger = 1
    private static let codecs: [String: MemberCodec] = ["gzip": .gzip, "zstd": .zstd]

    /// Returns the config's bytes for a form of the manifest, which its values determine: one line of JSON with the keys in a fixed order.
    package func encoded(as form: OCIManifest.Form) throws(CapsuleError) -> [UInt8] {
        var list: PlistDictionary = [
            "format": .integer(Self.format), "codec": .text(codec == .gzip ? "gzip" : "zstd"), "length": .number(length),
            "overlay": .boolean(isOverlay),
            "name": String(validating: name, as: UTF8.self).map { .text($0) }
                ?? ["base64": .text(String(decoding: Base64.encode(name), as: UTF8.self))],
            "layout": .text(layout.rawValue), "versions": .array(versions.map(\.json)),
        ]
        if !labels.isEmpty { list["labels"] = .array(labels.map(\.json)) }
        guard form == .image else { return try .compactJSON(.dictionary(list)) }
        return try .compactJSON([
            "architecture": "unknown", "os": "unknown", "rootfs": ["type": "layers", "diff_ids": []],
            "capsule": .dictionary(list),
        ])
    }

    /// Reads the config that belongs to a manifest, and compares both.
    /// - Parameters:
    ///   - bytes: the bytes that a server sent for ``OCIManifest/config``.
    ///   - path: the address for messages.
    package init(decoding bytes: [UInt8], of manifest: OCIManifest, path: HostPath) throws(CapsuleError) {
        guard manifest.config.matches(bytes) else {
            throw CapsuleError(.damaged, "its config does not match its digest", path: path)
        }
        var list = try ReceivedJSON.object(bytes, limit: OCIManifest.configLimit, path: path)
        if manifest.form == .image { list = list.object("capsule") ?? [:] }
        guard let format = list["format"]?.integer else {
            throw CapsuleError(.notCapsule, "is not a capsule: its config has no format", path: path)
        }
        guard format == Self.format else {
            throw CapsuleError(
                .otherFormat, "its config has the format \(format), but this program reads the format \(Self.format)", path: path,
                hint: "read it with a newer capsule")
        }
        do throws(InvalidMember) {
            self = try CapsuleConfig(list)
        } catch {
            throw CapsuleError(.damaged, "its config has an invalid '\(error.key)'", path: path)
        }
        guard length == manifest.length else {
            throw CapsuleError(
                .damaged, "its layers have \(manifest.length) bytes together, but its config says \(length)", path: path)
        }
    }

    private init(_ list: PlistDictionary) throws(InvalidMember) {
        self.init(
            codec: try list.read("codec") { $0.string.flatMap { Self.codecs[$0.string] } },
            isOverlay: try list.read("overlay", \.boolean),
            name: try list.read("name") { $0.string.map { Array($0.utf8) } ?? $0.dictionary?.text("base64")?.base64Bytes },
            layout: try list.read("layout") { $0.string.flatMap { ContainerLayout(rawValue: $0.string) } },
            versions: try list.read("versions", \.array).map { (item) throws(InvalidMember) in try Version(item.dictionary ?? [:])
            },
            labels: try list.readIfThere("labels", \.array)?.map { (item) throws(InvalidMember) in
                try Label(item.dictionary ?? [:])
            } ?? [])
        guard !name.isEmpty, !name.contains(UInt8(ascii: "/")), !name.contains(0) else { throw InvalidMember(key: "name") }
        let increasing = zip(versions, versions.dropFirst()).allSatisfy { $0.number < $1.number && $0.end.offset < $1.end.offset }
        guard increasing, let first = versions.first, first.number > 0 else { throw InvalidMember(key: "versions") }
        let ends = ends
        guard zip(labels, labels.dropFirst()).allSatisfy({ $0.end.offset < $1.end.offset }),
            zip(ends, ends.dropFirst()).allSatisfy({ $0.offset < $1.offset }), ends.first == first.end
        else { throw InvalidMember(key: "labels") }
        guard try list.read("length", \.integer?.uint64) == length else { throw InvalidMember(key: "length") }
    }
}

extension CapsuleConfig.Version {
    fileprivate var json: PlistValue {
        var list: PlistDictionary = ["number": .number(UInt64(number))]
        list["label"] = label.map { .text($0.text) }
        list["captured"] = .text(captured.iso8601())
        list["entries"] = .number(entries)
        list["bytes"] = .number(bytes)
        end.add(to: &list)
        list["tree"] = .text(tree.hex)
        list["content"] = .text(content.hex)
        list["source"] = .text(source.rawValue)
        list["bundle"] = bundle.map { .text($0) }
        return .dictionary(list)
    }

    fileprivate init(_ list: PlistDictionary) throws(InvalidMember) {
        self.init(
            number: try list.read("number") { $0.integer?.uint64.flatMap { UInt32(exactly: $0) } },
            label: try list.readIfThere("label") { $0.string.flatMap { VersionLabel($0.string) } },
            captured: try list.read("captured") { value in
                value.string?.withUTF8 { DateSpelling.read(UnsafeRawBufferPointer($0)) }.flatMap { Timestamp(plistDate: $0) }
            },
            entries: try list.read("entries", \.integer?.uint64),
            bytes: try list.read("bytes", \.integer?.uint64),
            end: try CapsuleConfig.End(list),
            tree: try list.read("tree", \.digest),
            content: try list.read("content", \.digest),
            source: try list.read("source") { $0.string.map { ContainerKind(rawValue: $0.string) } },
            bundle: try list.readIfThere("bundle") { $0.string?.string })
    }
}

extension CapsuleConfig.Label {
    fileprivate var json: PlistValue {
        var list: PlistDictionary = ["label": .text(label.text)]
        list["version"] = version.map { .number(UInt64($0)) }
        end.add(to: &list)
        return .dictionary(list)
    }

    fileprivate init(_ list: PlistDictionary) throws(InvalidMember) {
        self.init(
            label: try list.read("label") { $0.string.flatMap { VersionLabel($0.string) } },
            version: try list.readIfThere("version") { $0.integer?.uint64.flatMap { UInt32(exactly: $0) } },
            end: try CapsuleConfig.End(list))
    }
}

extension CapsuleConfig.End {
    fileprivate func add(to list: inout PlistDictionary) {
        list["end"] = .number(offset)
        list["footer"] = .text(footer.hex)
    }

    fileprivate init(_ list: PlistDictionary) throws(InvalidMember) {
        self.init(offset: try list.read("end", \.integer?.uint64), footer: try list.read("footer", \.digest))
    }
}

private struct InvalidMember: Error {
    let key: String
}

extension PlistDictionary {
    /// Reads a member in the form that `form` accepts.
    fileprivate func read<Value>(_ key: PlistString, _ form: (PlistValue) -> Value?) throws(InvalidMember) -> Value {
        guard let value = self[key].flatMap(form) else { throw InvalidMember(key: key.string) }
        return value
    }

    fileprivate func readIfThere<Value>(_ key: PlistString, _ form: (PlistValue) -> Value?) throws(InvalidMember) -> Value? {
        member(key) == nil ? nil : try read(key, form)
    }
}

extension PlistValue {
    fileprivate static func text(_ text: String) -> PlistValue { .string(PlistString(text)) }

    fileprivate static func number(_ number: UInt64) -> PlistValue { .integer(PlistInteger(number)) }

    fileprivate var digest: ContentDigest? { string.flatMap { ContentDigest(hex: $0.string) } }
}
