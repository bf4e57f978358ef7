package import CapsuleCore
import CapsulePropertyList

extension RegistryClient {
    /// The most tags and pages of them that are listed, and the longest page in bytes.
    private static let mostTags = 100_000
    private static let mostPages = 1_000
    private static let pageLimit = 4 << 20

    /// Returns all tags of the repository, sorted (distribution-spec, "Listing Tags").
    package func tags() throws(CapsuleError) -> [String] {
        var tags: Set<String> = []
        var pages: Set<String> = []
        var next: WebAddress? = reference.tags
        while let address = next {
            guard pages.insert(address.text).inserted, pages.count <= Self.mostPages else { throw endless }
            var request = HTTPRequest(.get, address)
            request.limit = Self.pageLimit
            let answer = try send(request)
            guard answer.status == 200 else { throw failure(of: answer, "such repository") }
            let list = try ReceivedJSON.object(answer.body, limit: Self.pageLimit, isLenient: true, path: path)
            let page = list.member("tags")?.array ?? []
            let before = tags.count
            for tag in page {
                // Others would not be tags: they could hold anything.
                if let text = tag.string?.string, OCIReference.isTag(text), !OCIDigest.isReferrersTag(text) { tags.insert(text) }
            }
            guard tags.count <= Self.mostTags else {
                throw CapsuleError(.limit, "has more than \(Self.mostTags) tags", path: path)
            }
            next = try nextPage(answer, address)
            // Filtered pages may be empty. A registry that gives the same tags again would never end.
            guard next == nil || page.isEmpty || tags.count > before else { throw endless }
        }
        return tags.sorted()
    }

    private var endless: CapsuleError {
        CapsuleError(
            .limit, "the registry's list of tags does not end: it repeats a page, or has more than \(Self.mostPages)", path: path)
    }

    /// Returns the address of the next page. It must be the registry's own.
    private func nextPage(_ answer: HTTPAnswer, _ address: WebAddress) throws(CapsuleError) -> WebAddress? {
        guard let link = answer.head.next else { return nil }
        guard let next = try? address.resolving(link) else {
            throw CapsuleError(.damaged, "the registry's list of tags goes on at something that is not a web address", path: path)
        }
        guard next.origin == reference.origin else {
            throw CapsuleError(.refused, "the registry's list of tags goes on at another server, \(next.authority)", path: path)
        }
        return next
    }
}
