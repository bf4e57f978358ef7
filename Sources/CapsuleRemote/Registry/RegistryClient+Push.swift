package import CapsuleCore
import CapsulePropertyList

extension RegistryClient: CapsuleRepository {
    package var path: HostPath { HostPath(reference.text) }
    package var place: String { "the registry" }

    /// The number of blobs that are uploaded at once, and how often an upload is tried.
    private static let atOnce = 4
    private static let mostTries = 5
    /// A blob up to this length is sent without asking whether it is there: that costs as much.
    private static let smallLength: UInt64 = 64 << 10
    private static let shortestWait = Duration.milliseconds(250)
    private static let longestWait = Duration.seconds(10)

    package func store(_ blobs: [NewBlob], stored: (UInt64, Bool) -> Void) throws(CapsuleError) {
        for start in stride(from: 0, to: blobs.count, by: Self.atOnce) {
            let batch = Array(blobs[start..<min(start + Self.atOnce, blobs.count)])
            var missing = batch
            var known: Set<OCIDigest> = []
            for number in 1... {
                do throws(CapsuleError) {
                    missing = try self.missing(missing, asksForAll: number > 1)
                    if number == 1 { known = Set(batch.map(\.digest)).subtracting(missing.map(\.digest)) }
                    missing = try upload(missing)
                    if missing.isEmpty { break }
                    guard number < Self.mostTries else {
                        throw CapsuleError("the registry does not take the blob \(missing[0].digest)", path: path)
                    }
                } catch {
                    // A connection that broke: what arrived is there, and only the rest is sent again.
                    guard error.code == .failure, number < Self.mostTries else { throw error }
                }
            }
            for blob in batch { stored(blob.body.length, !known.contains(blob.digest)) }
        }
    }

    private func missing(_ blobs: [NewBlob], asksForAll: Bool) throws(CapsuleError) -> [NewBlob] {
        let asked = blobs.indices.filter { asksForAll || blobs[$0].body.length > Self.smallLength }
        let answers = try send(asked.map { HTTPRequest(.head, reference.blob(blobs[$0].digest)) }, atOnce: Self.atOnce)
        var there: Set<Int> = []
        for (index, answer) in zip(asked, answers) {
            switch answer.status {
            case 200: there.insert(index)
            case 404: break
            default: throw failure(of: answer)
            }
        }
        return blobs.indices.filter { !there.contains($0) }.map { blobs[$0] }
    }

    /// Uploads blobs, each in one piece: an upload in several is where registries differ most (distribution-spec, "Pushing a blob
    /// monolithically").
    /// - Returns: those for which the registry had a failure of its own.
    private func upload(_ blobs: [NewBlob]) throws(CapsuleError) -> [NewBlob] {
        if blobs.isEmpty { return [] }
        var start = HTTPRequest(.post, reference.uploads)
        start.body = HTTPBody([])
        let sessions = try send(blobs.map { _ in start }, atOnce: Self.atOnce)
        let requests = try zip(blobs, sessions).map { (blob, session) throws(CapsuleError) in
            guard session.status == 202, let location = session.head["location"] else { throw failure(of: session) }
            guard let place = try? session.address.resolving(location) else {
                throw CapsuleError(
                    .damaged, "\(session.address.authority) wants a blob to be sent to something that is not a web address",
                    path: path)
            }
            guard reference.origin.maySend(to: place) else {
                throw CapsuleError(.refused, "the registry wants a blob to be sent over http to \(place.authority)", path: path)
            }
            var request = HTTPRequest(
                .put, place.adding("digest", blob.digest.text), fields: [HTTPHeader("Content-Type", "application/octet-stream")])
            request.body = blob.body
            return request
        }
        var failed: [NewBlob] = []
        for (blob, answer) in zip(blobs, try send(requests, atOnce: Self.atOnce)) {
            switch answer.status {
            case 201, 204: break
            case 500...: failed.append(blob)
            case 413:
                throw CapsuleError(
                    .limit, "the registry, or a proxy before it, does not take \(blob.body.length >> 20) MiB in one piece (413)",
                    path: path)
            default: throw failure(of: answer)
            }
        }
        return failed
    }

    /// Registries have no compare-and-swap. So a push looks at the tag, writes it, and looks again after a multiple of the time that
    /// this took. One that looked before this push wrote has written by then, unless it was stopped for longer than that.
    package func tag(
        _ manifest: [UInt8], of config: CapsuleConfig, replacing old: RegistryManifest?
    ) throws(CapsuleError) {
        let digest = OCIDigest(of: manifest)
        var start = ContinuousClock.now
        var tagged = try taggedDigest()
        var tries = 0
        while tagged != digest {
            guard tagged == old?.digest else { throw moved }
            tries += 1
            do throws(CapsuleError) {
                // The few registries that know If-Match close the gap between looking and writing.
                let answer = try put(manifest, reference.manifest, old?.tag.map { [HTTPHeader("If-Match", $0)] } ?? [])
                if answer.status == 412 { throw moved }
                try check(answer)
                break
            } catch {
                // The answer may be all that was lost.
                guard error.code == .failure, tries < Self.mostTries else { throw error }
                start = .now
                tagged = try taggedDigest()
            }
        }
        let wait = min(max((ContinuousClock.now - start) * 3, Self.shortestWait), Self.longestWait)
        if try taggedDigest(after: wait) != digest { try checkOthers(config, digest, old) }
    }

    /// Accepts a tag that names another manifest than the one just written only if that one has all versions of this.
    private func checkOthers(
        _ config: CapsuleConfig, _ digest: OCIDigest, _ old: RegistryManifest?
    ) throws(CapsuleError) {
        guard let now = try manifestIfThere(), now.digest != old?.digest else {
            throw CapsuleError(
                "the registry accepted the manifest, but the tag does not name it", path: path,
                hint: "'capsule log \(path)' shows what the tag names")
        }
        switch HistoryRelation(of: History(config), with: History(now.config)) {
        case .same, .behind: return
        case .ahead, .parted:
            throw CapsuleError(
                .exists,
                "another push to this tag came at the same time and won: this version is there by its digest only, \(digest)",
                path: path, hint: "pull the tag, then push or append again; a tag for each job avoids this")
        }
    }

    package func tag(_ manifest: [UInt8], also name: String) throws(CapsuleError) {
        try check(try put(manifest, try reference.tagged(name).manifest, []))
    }

    package func put(_ document: [UInt8], _ type: String, as tag: String?) throws(CapsuleError) -> Bool {
        let address = try tag.map { (tag) throws(CapsuleError) in try reference.tagged(tag).manifest }
        let answer = try put(document, address ?? reference.manifest(OCIDigest(of: document)), [], type)
        try check(answer)
        return answer.head["oci-subject"] != nil
    }

    private func put(
        _ manifest: [UInt8], _ address: WebAddress, _ fields: [HTTPHeader], _ type: String = OCIManifest.mediaType
    ) throws(CapsuleError) -> HTTPAnswer {
        var request = HTTPRequest(.put, address, fields: fields + [HTTPHeader("Content-Type", type)])
        request.body = HTTPBody(manifest)
        return try send(request)
    }

    private func check(_ answer: HTTPAnswer) throws(CapsuleError) {
        if [200, 201].contains(answer.status) { return }
        let codes = errorCodes(in: answer)
        if codes.contains("MANIFEST_BLOB_UNKNOWN") || codes.contains("BLOB_UNKNOWN") {
            throw CapsuleError(.notFound, "the registry does not find a blob that was just stored", path: path)
        }
        let text = String(decoding: answer.body.prefix(1_000), as: UTF8.self).lowercased()
        if text.contains("immutable") || answer.status == 409 {
            throw failure(of: answer).hinting("the tag is immutable: push to another one")
        }
        if answer.status == 405 || answer.status == 501 || answer.status == 400 && codes.contains("MANIFEST_INVALID") {
            throw CapsuleError(.refused, failure(of: answer).message, path: path)
        }
        throw failure(of: answer)
    }

    private var moved: CapsuleError { CapsuleError(.changed, "the tag has moved meanwhile", path: path, hint: "try again") }

    /// Returns the digest of what the tag names; nil if there is none.
    private func taggedDigest(after delay: Duration = .zero) throws(CapsuleError) -> OCIDigest? {
        var request = HTTPRequest(.head, reference.manifest, fields: [Self.accept])
        request.delay = delay
        let answer = try send(request)
        switch answer.status {
        case 404: return nil
        case 200:
            if let digest = answer.head["docker-content-digest"].flatMap({ OCIDigest($0) }) { return digest }
            let whole = try send(HTTPRequest(.get, reference.manifest, fields: [Self.accept]))
            guard whole.status == 200 else { throw failure(of: whole) }
            return OCIDigest(of: whole.body)
        default: throw failure(of: answer)
        }
    }
}
