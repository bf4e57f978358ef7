import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleRemote
import CapsuleSystem

/// Copies a capsule to a registry or a layout. Only what is not there yet is sent, and the tag moves last.
package struct Pusher: Sendable {
    package var force = false
    /// True to push versions that have a device's keychain.
    package var sendsKeychain = false
    /// Further tags for the same manifest.
    package var tags: [String] = []
    package var annotations: [String: String] = [:]
    /// True to write the form of a manifest that looks most like an image.
    package var asImage = false
    package var progress: (any ProgressObserver)?

    package init() {}

    package struct Outcome: Sendable {
        package let address: String
        package let digest: String
        package let version: UInt32
        /// The bytes of blobs that were sent, and of the whole capsule.
        package let sent: UInt64
        package let length: UInt64
        package let isUnchanged: Bool
        package var notes: [String] = []

        /// The address that names exactly these bytes.
        package var pinnedAddress: String { "\(address)@\(digest)" }
    }

    /// The most tries of a push that others overtake.
    private static let mostTries = 10

    /// - Parameters:
    ///   - name: the file, or `FILE@VERSION` for the part up to the end of a version.
    ///   - argument: the address.
    package func push(_ name: [UInt8], to argument: [UInt8]) throws(CapsuleError) -> Outcome {
        let address = try address(argument)
        let capsule = try Self.open(name)
        if !sendsKeychain { try Self.refuseKeychain(in: capsule.reader, through: capsule.last) }
        return try push(capsule.reader, through: capsule.last, to: try RemoteAccess.repository(address, .push))
    }

    /// - Parameter last: the last footer of the part to push; nil for the whole capsule.
    func push(
        _ capsule: CapsuleReader, through last: Footer?, to repository: any CapsuleRepository
    ) throws(CapsuleError) -> Outcome {
        let config = try CapsuleConfig(of: capsule, through: last)
        for number in 1... {
            do throws(CapsuleError) {
                return try push(capsule, config, to: repository)
            } catch {
                // Another push came first. What it pushed decides what happens.
                guard error.code == .changed, number < Self.mostTries else { throw error }
            }
        }
        preconditionFailure("the loop returns or throws")
    }

    private func address(_ argument: [UInt8]) throws(CapsuleError) -> RemoteAddress {
        for tag in tags where !OCIReference.isTag(tag) {
            throw CapsuleError(
                .usage, "'\(tag)' is not a tag",
                hint: "a tag has letters, digits, '_', '.' and '-', and does not begin with '.' or '-'")
        }
        guard let name = try RemoteName(argument), try name.selector() == .latest else {
            throw CapsuleError(
                .usage, "is not an address to push to", path: HostPath(RemoteName.shown(argument)),
                hint: "write oci://HOST/NAME:TAG or oci:DIRECTORY:TAG")
        }
        return name.address
    }

    private static func refuseKeychain(in capsule: CapsuleReader, through last: Footer) throws(CapsuleError) {
        for footer in try capsule.footers() where footer.end <= last.end {
            guard try capsule.manifest(of: footer).hasKeychain else { continue }
            throw CapsuleError(
                .usage, "version \(footer.version) holds a device's whole keychain", path: capsule.file.path,
                hint: "'--keychain' pushes it anyway")
        }
    }

    private static func open(_ name: [UInt8]) throws(CapsuleError) -> (reader: CapsuleReader, last: Footer) {
        let container = Container(name)
        guard case .capsule(let capsule, let selector) = try container.resolve() else {
            throw CapsuleError(
                .usage, "is not a capsule", path: HostPath(name), hint: "'capsule pack' turns a container into one")
        }
        guard !capsule.file.isRemote else {
            throw CapsuleError(.usage, "is not a file on this machine", path: HostPath(name), hint: "'capsule pull' downloads it")
        }
        switch capsule.tail {
        case .whole, .growing: break
        case .torn, .damaged:
            throw CapsuleError(
                .damaged, "its end is damaged, so it is not pushed", path: capsule.file.path,
                hint: Container.hint(for: capsule.tail, of: capsule.file.path))
        }
        return (capsule, try capsule.last(of: selector))
    }

    private func push(
        _ capsule: CapsuleReader, _ config: CapsuleConfig, to repository: any CapsuleRepository
    ) throws(CapsuleError) -> Outcome {
        let signatures = try RemoteSignatures.read(beside: capsule.file.path, of: config.versions.map(\.number))
        let there: RegistryManifest?
        do throws(CapsuleError) {
            there = try repository.manifestIfThere()
        } catch {
            throw error.hinting(error.code == .notCapsule ? "push to another tag; '--force' replaces only capsules" : nil)
        }
        let place = repository.place
        var known: [OCIManifest.Layer] = []
        var common: UInt64 = 0
        if let there {
            let (own, other) = (History(config), History(there.config))
            switch HistoryRelation(of: own, with: other) {
            case .same: common = config.length
            case .ahead(let end): common = end.offset
            case .behind(let end) where !force:
                throw CapsuleError(
                    .exists, "\(place) has \(other.shown(after: end)), which this file does not have",
                    path: repository.path,
                    hint: "'capsule pull' adds what is missing; '--force' replaces what is there")
            case .parted(let end) where !force:
                throw Self.parted(
                    own, other, after: end, repository.path, place,
                    hint: "push to another tag; '--force' replaces what is there")
            case .behind(let end): common = end.offset
            case .parted(let end): common = end?.offset ?? 0
            }
            if common > 0 { known = there.manifest.layers }
        }
        do throws(CapsuleError) {
            try capsule.check(capsule.parts(through: config.length), after: common)
        } catch {
            throw error.code == .damaged
                ? error.hinting("\(capsule.file.path.verifyHint); a damaged capsule is not pushed") : error
        }
        var push = try PreparedPush(capsule, config, keeping: known, common: common)
        var form = asImage ? OCIManifest.Form.image : there?.manifest.form ?? .full
        var sent: UInt64 = 0
        // The blobs that the next manifest needs. The config comes last, so that the capsule's bytes can be told from it.
        var missing = push.blobs
        RemoteAccess.show(progress, total: missing.reduce(UInt64(0)) { $0 + $1.body.length })
        var notes: [String] = []
        while true {
            let manifest = try push.manifest(form, annotations)
            if manifest.bytes == there?.bytes {
                return try finish(repository, manifest.bytes, config, signatures, sent: sent, isUnchanged: true, notes)
            }
            var left = missing.count
            try repository.store(missing + [manifest.config]) { length, isSent in
                if isSent, left > 0 { sent += length }
                left -= 1
            }
            missing = []
            do throws(CapsuleError) {
                try repository.tag(manifest.bytes, of: config, replacing: there)
            } catch {
                if error.code == .notFound, !push.isRepeated {
                    push.isRepeated = true
                    // Even old ones may be gone: registries and people delete what they think nothing needs.
                    missing = push.kept + push.blobs
                    continue
                }
                guard error.code == .refused, let next = Self.fallback(after: form) else { throw error }
                notes.append("\(place) does not take the manifest \(form.words), so it is written \(next.words)")
                form = next
                continue
            }
            return try finish(repository, manifest.bytes, config, signatures, sent: sent, isUnchanged: false, notes)
        }
    }

    private static func fallback(after form: OCIManifest.Form) -> OCIManifest.Form? {
        switch form {
        case .full: .withoutData
        case .withoutData: .image
        case .image: nil
        }
    }

    /// Stores the other tags and the signatures of a manifest that the tag names.
    private func finish(
        _ repository: any CapsuleRepository, _ manifest: [UInt8], _ config: CapsuleConfig, _ signatures: [UInt32: [UInt8]],
        sent: UInt64, isUnchanged: Bool, _ notes: [String]
    ) throws(CapsuleError) -> Outcome {
        for tag in tags { try repository.tag(manifest, also: tag) }
        let note = try RemoteSignatures.push(signatures, to: manifest, in: repository)
        return Outcome(
            address: repository.path.description, digest: OCIDigest(of: manifest).text,
            version: config.versions.last?.number ?? 0, sent: sent,
            length: config.length, isUnchanged: isUnchanged, notes: notes + [note].compactMap { $0 })
    }

    /// The error for two capsules that each have something that the other lacks.
    private static func parted(
        _ own: History, _ other: History, after end: History.End?, _ path: HostPath, _ place: String, hint: String
    ) -> CapsuleError {
        guard let end, let version = own.version(upTo: end) else {
            return CapsuleError(
                .exists, "has another capsule, with nothing in common with this file", path: path,
                hint: "a compacted capsule is another one, too: " + hint)
        }
        return CapsuleError(
            .exists,
            "they part after version \(version): this file goes on with \(own.shown(after: end)), \(place) with \(other.shown(after: end))",
            path: path, hint: hint)
    }
}

extension OCIManifest.Form {
    fileprivate var words: String {
        switch self {
        case .full: "with small blobs in it"
        case .withoutData: "without blobs in it"
        case .image: "as that of an image"
        }
    }
}

/// The layers of a capsule, with the digests of those that are new.
private struct PreparedPush {
    let layers: [OCIManifest.Layer]
    /// The new layers.
    let blobs: [NewBlob]
    /// The layers that are there already.
    let kept: [NewBlob]
    /// True once all blobs were stored again.
    var isRepeated = false
    private let last: [UInt8]
    private let config: CapsuleConfig

    private static let pieceLength = 1 << 20
    private static let embeddedLength: UInt64 = 48 << 10

    init(
        _ capsule: CapsuleReader, _ config: CapsuleConfig, keeping known: [OCIManifest.Layer], common: UInt64
    ) throws(CapsuleError) {
        let cut = try LayerCut.layers(of: config.segments, keeping: known, common: common) { (segment) throws(CapsuleError) in
            try capsule.dataMemberEnds(from: segment.lowerBound, to: segment.upperBound)
        }
        let file = capsule.file
        var blobs: [NewBlob] = []
        var kept: [NewBlob] = []
        layers = try cut.map { (layer) throws(CapsuleError) in
            let (start, length) = (layer.range.lowerBound, UInt64(layer.range.count))
            let body = HTTPBody(length: length) { (offset, count) throws(CapsuleError) in
                try Self.read(file, at: start + offset, min(UInt64(count), length - offset))
            }
            if let number = layer.known {
                kept.append(NewBlob(known[number].digest, body))
                return known[number]
            }
            var hasher = SHA256Hasher()
            var offset: UInt64 = 0
            while offset < length {
                try CapsuleError.checkInterruption()
                let bytes = try Self.read(file, at: start + offset, min(UInt64(Self.pieceLength), length - offset))
                hasher.update(bytes)
                offset += UInt64(bytes.count)
            }
            let digest = OCIDigest(hasher.finish())
            blobs.append(NewBlob(digest, body))
            return OCIManifest.Layer(kind: layer.kind, digest: digest, size: length)
        }
        (self.blobs, self.kept) = (blobs, kept)
        self.config = config
        let end = cut.last.map {
            UInt64($0.range.count) <= Self.embeddedLength ? $0.range : $0.range.upperBound..<$0.range.upperBound
        }
        last =
            try end.map { (range) throws(CapsuleError) in try Self.read(file, at: range.lowerBound, UInt64(range.count)) } ?? []
    }

    private static func read(_ file: CapsuleFile, at offset: UInt64, _ count: UInt64) throws(CapsuleError) -> [UInt8] {
        let bytes = try file.read(at: offset, count: Int(count))
        guard bytes.count == Int(count) else { throw CapsuleError(.changed, "became shorter meanwhile", path: file.path) }
        return bytes
    }

    func manifest(
        _ form: OCIManifest.Form, _ annotations: [String: String]
    ) throws(CapsuleError) -> (bytes: [UInt8], config: NewBlob) {
        let content = try config.encoded(as: form)
        let manifest = try OCIManifest(
            form: form, config: content, layers: layers, last: last.isEmpty ? nil : last,
            annotations: config.annotations.merging(annotations) { $1 })
        return (try manifest.encoded(), NewBlob(OCIDigest(of: content), HTTPBody(content)))
    }
}
