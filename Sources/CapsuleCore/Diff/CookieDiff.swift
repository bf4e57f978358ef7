import CapsulePropertyList

/// The differences between two cookies files (docs/diff.md). Cookies are paired by domain, path and name.
package struct CookieDiff: Hashable, Sendable {
    package static let changeLimit = 10_000

    /// The changes by domain, path and name, in the order of their bytes.
    package let changes: [CookieChange]
    package let total: Int
    /// True if the cookies that both files have are in another order.
    package let isReordered: Bool
    /// The differences in the settings that follow the cookies: the policy for accepting them.
    package let settings: [PlistChange]

    private typealias Cookie = BinaryCookies.Cookie
    private typealias Pair = (old: Int?, new: Int?)

    /// Compares two files. If several cookies share domain, path and name, equal ones are paired first, and the rest in order.
    package init(_ old: BinaryCookies, _ new: BinaryCookies, unshown: (CookieChange) -> Void = { _ in }) {
        let pairs = Self.pairs(old.cookies, new.cookies)
        let partners = pairs.compactMap { pair in pair.old.flatMap { old in pair.new.map { (old, $0) } } }
        let order = partners.sorted { $0.0 < $1.0 }.map(\.1)
        isReordered = zip(order, order.dropFirst()).contains { $0 > $1 }
        let different = pairs.filter { pair in
            guard let first = pair.old, let second = pair.new else { return true }
            return old.cookies[first] != new.cookies[second]
        }
        total = different.count
        func change(_ pair: Pair) -> CookieChange? {
            CookieFields.change(pair.old.map { old.cookies[$0] }, pair.new.map { new.cookies[$0] })
        }
        changes = different.prefix(Self.changeLimit).compactMap(change)
        for pair in different.dropFirst(Self.changeLimit) { change(pair).map(unshown) }
        settings = Self.settings(old.settings, new.settings)
    }

    private static func pairs(_ old: [Cookie], _ new: [Cookie]) -> [Pair] {
        var places: [Cookie.Key: (old: [Int], new: [Int])] = [:]
        for (place, cookie) in old.enumerated() { places[cookie.key, default: ([], [])].old.append(place) }
        for (place, cookie) in new.enumerated() { places[cookie.key, default: ([], [])].new.append(place) }
        return places.sorted { $0.key < $1.key }.flatMap { _, places in
            var (pairs, oldRest, newRest) = equals(places.old, places.new, old, new)
            while oldRest.count < newRest.count { oldRest.append(nil) }
            while newRest.count < oldRest.count { newRest.append(nil) }
            pairs += zip(oldRest, newRest).map { ($0, $1) }
            return pairs
        }
    }

    private static func equals(
        _ oldPlaces: [Int], _ newPlaces: [Int], _ old: [Cookie], _ new: [Cookie]
    ) -> (pairs: [Pair], old: [Int?], new: [Int?]) {
        guard oldPlaces.count > 1 || newPlaces.count > 1 else { return ([], oldPlaces, newPlaces) }
        var waiting: [Cookie: ArraySlice<Int>] = [:]
        for place in newPlaces { waiting[new[place], default: []].append(place) }
        var (pairs, taken): ([Pair], Set<Int>) = ([], [])
        var oldRest: [Int?] = []
        for place in oldPlaces {
            if let partner = waiting[old[place]]?.popFirst() {
                pairs.append((place, partner))
                taken.insert(partner)
            } else {
                oldRest.append(place)
            }
        }
        return (pairs, oldRest, newPlaces.filter { !taken.contains($0) })
    }

    private static func settings(_ old: PlistValue?, _ new: PlistValue?) -> [PlistChange] {
        switch (old, new) {
        case (nil, nil): return []
        case (nil, let new?): return [PlistChange(.added(new), at: .root)]
        case (let old?, nil): return [PlistChange(.deleted(old), at: .root)]
        case (let old?, let new?):
            if old == new { return [] }
            let whole = [PlistChange(.modified(old: old, new: new), at: .root)]
            guard let diff = try? PlistDiff(old, new), !diff.changes.isEmpty, diff.bounds.isEmpty else { return whole }
            return diff.changes
        }
    }

    /// The details of an entry with these differences. Files with the same content in another order, or in other pages, differ
    /// only in encoding, which is noise.
    package var details: [ChangeDetail] {
        var details = changes.map { ChangeDetail(.cookie($0)) }
        if total > changes.count {
            let limit = Truncation("cookies", shown: UInt64(changes.count), total: UInt64(total), isJudged: true)
            details.append(ChangeDetail(.limit(limit)))
        }
        details += settings.map { ChangeDetail(.value($0)) }
        guard details.isEmpty else { return details }
        let name = "cookies"
        return [ChangeDetail(.encoding(EncodingChange(old: name, new: name)), noise: .cookiesOrder)]
    }
}

/// A cookie that only one side has, or whose fields differ.
package struct CookieChange: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var old: DisplayValue?
        package var new: DisplayValue?

        package init(_ name: String, old: DisplayValue?, new: DisplayValue?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    package var operation: ChangeOperation
    package var domain: String
    package var path: String
    package var cookie: String
    /// The fields that differ, for a modified cookie. Otherwise all fields.
    package var fields: [Field]
    /// The other fields of a modified cookie.
    package var unchanged: [Field] = []

    package init(_ operation: ChangeOperation, domain: String, path: String, cookie: String, fields: [Field]) {
        self.operation = operation
        self.domain = domain
        self.path = path
        self.cookie = cookie
        self.fields = fields
    }
}

extension CookieChange {
    /// The names in ``record`` of what a cookie is, without the times that differ in every run.
    package static let recordNames = ["domain", "path", "name"] + CookieFields.names.filter { $0 != "created" }

    /// The newer cookie, or the deleted one: its fields, what identifies it, and the seconds from its creation to its expiry.
    package var record: [String: DisplayValue] {
        var record: [String: DisplayValue] = ["domain": .text(domain), "path": .text(path), "name": .text(cookie)]
        for field in fields + unchanged { record[field.name] = operation == .deleted ? field.old : field.new }
        if case .date(let expires)? = record["expires"]?.whole, case .date(let created)? = record["created"]?.whole {
            record["lifetime"] = .value(.real(expires - created))
        }
        return record
    }
}

private enum CookieFields {
    static var names: [String] { fields.map(\.name) }

    static func change(_ old: BinaryCookies.Cookie?, _ new: BinaryCookies.Cookie?) -> CookieChange? {
        guard let cookie = new ?? old else { return nil }
        let operation: ChangeOperation = old == nil ? .added : new == nil ? .deleted : .modified
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        let all = fields.map { name, value in
            CookieChange.Field(name, old: old.flatMap(value).map { .value($0) }, new: new.flatMap(value).map { .value($0) })
        }
        var change = CookieChange(
            operation, domain: text(cookie.domain), path: text(cookie.path), cookie: text(cookie.name),
            fields: all.filter { $0.old != $0.new })
        change.unchanged = all.filter { $0.old == $0.new && $0.new != nil }
        return change
    }

    private static let fields: [(name: String, value: @Sendable (BinaryCookies.Cookie) -> PlistValue?)] = [
        ("value", { Self.text($0.value) }),
        ("expires", { .date($0.expires) }),
        ("created", { .date($0.created) }),
        ("flags", { .string(PlistString(Self.flags($0.flags))) }),
        ("port", { $0.port.map { .integer(PlistInteger(UInt64($0))) } }),
        ("version", { .integer(PlistInteger(UInt64($0.version))) }),
        ("comment", { $0.comment.map { Self.text($0) } }),
        ("commentURL", { $0.commentURL.map { Self.text($0) } }),
    ]

    private static func text(_ bytes: [UInt8]) -> PlistValue {
        PlistString(validating: bytes).map { .string($0) } ?? .data(bytes)
    }

    /// Returns the names of the known flags, as in `secure httponly`, and the other bits as a number.
    private static func flags(_ flags: UInt32) -> String {
        let rest = flags & ~5
        let names = [flags & 1 != 0 ? "secure" : nil, flags & 4 != 0 ? "httponly" : nil]
        return (names + [rest == 0 ? nil : "0x" + String(rest, radix: 16)]).compactMap { $0 }.joined(separator: " ")
    }
}
