package import CapsuleCore
import CapsulePropertyList

extension RegistryClient {
    /// The most tags that are listed, and the longest page of a list in bytes.
    private static let mostTags = 100_000
    private static let pageLimit = 4 << 20

    /// Returns all tags of the repository, sorted (distribution-spec, "Listing Tags").
    package func tags() throws(CapsuleError) -> [String] {
        var tags: Set<String> = []
        var next: WebAddress? = reference.tags
        while let address = next {
            var request = HTTPRequest(.get, address)
            request.limit = Self.pageLimit
            let answer = try send(request)
            guard answer.status == 200 else { throw failure(of: answer, "such repository") }
            let list = try ReceivedJSON.object(answer.body, limit: Self.pageLimit, isLenient: true, path: path)
            let before = tags.count
            for tag in list.member("tags")?.array ?? [] {
                // Others would not be tags: they could hold anything.
                if let text = tag.string?.string, OCIReference.isTag(text) { tags.insert(text) }
            }
            guard tags.count <= Self.mostTags else {
                throw CapsuleError(.limit, "has more than \(Self.mostTags) tags", path: path)
            }
            // A registry that gives the same page again would never end.
            next = tags.count > before ? try nextPage(answer, address) : nil
        }
        return tags.sorted()
    }

    /// Returns the address in a `Link` header with `rel="next"` (RFC 8288). It must be the registry's own.
    private func nextPage(_ answer: HTTPAnswer, _ address: WebAddress) throws(CapsuleError) -> WebAddress? {
        guard let link = answer.head.values("link").first(where: { $0.contains("rel=\"next\"") || $0.contains("rel=next") }),
            let start = link.firstIndex(of: "<"), let end = link[start...].firstIndex(of: ">")
        else { return nil }
        let next = try address.resolving(String(link[link.index(after: start)..<end]))
        guard next.origin == reference.origin else {
            throw CapsuleError(.refused, "the registry's list of tags goes on at another server, \(next.authority)", path: path)
        }
        return next
    }
}
