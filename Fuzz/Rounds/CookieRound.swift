import CapsuleCore
import CapsuleRules

/// Reads a file of binary cookies. If it can be read, it has no more cookies than fit into its bytes, and equals itself.
enum CookieRound {
    /// A file without cookies, to compare with.
    private static let empty = Array("cook".utf8) + [0, 0, 0, 0]

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        let file: BinaryCookies
        do throws(ContentError) {
            file = try BinaryCookies(bytes)
        } catch {
            return error.message.isEmpty ? "an error that says nothing" : nil
        }
        var size = 0
        for cookie in file.cookies {
            size += cookie.domain.count + cookie.name.count + cookie.path.count + cookie.value.count
            size += (cookie.comment?.count ?? 0) + (cookie.commentURL?.count ?? 0)
        }
        guard size <= 6 * bytes.count else { return "more cookies than there is room for" }
        let same = CookieDiff(file, file)
        guard same.changes.isEmpty, same.settings.isEmpty, !same.isReordered else { return "a file differs from itself" }
        guard let empty = try? BinaryCookies(empty) else { return "a file of no cookies can't be read" }
        let added = CookieDiff(empty, file)
        guard added.total == file.cookies.count, added.changes.allSatisfy({ $0.operation == .added }) else {
            return "not all cookies are told"
        }
        let entry = EntryChange(.modified, at: .root, details: added.changes.map { ChangeDetail(.cookie($0)) })
        let side = ContainerDiff.Side(source: [])
        for detail in ContainerDiff(old: side, new: side, entries: [entry]).hidingSecrets().entries.flatMap(\.details) {
            guard case .cookie(let change) = detail.content else { return "hiding secrets changed the kind of a change" }
            let values = change.fields.filter { $0.name == "value" }
            guard values.allSatisfy({ $0.new == .hidden("cookie") }) else { return "a secret is shown" }
        }
        return CookieDiff(file, empty).total == added.total ? nil : "another number of cookies back"
    }
}
