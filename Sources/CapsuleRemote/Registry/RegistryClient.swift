package import CapsuleCore
import CapsulePropertyList
import Synchronization

/// Sends requests to one repository of a registry (OCI distribution-spec), with the user's credentials.
package final class RegistryClient: Sendable {
    package enum Access: String, Sendable {
        case pull
        case push = "pull,push"
    }

    package let reference: OCIReference
    private let access: Access
    private let transport: Transport
    private let credentials: CredentialStore
    /// The value of `CAPSULE_TRUST_REALM`.
    private let trustedRealms: String
    let cache: BlobCache?
    private let state = Mutex(State())

    private struct State {
        /// The value of `Authorization`. It is forgotten with this object and never written anywhere.
        var authorization: String?
        /// The login, which says what an answer that refuses access means.
        var login = Login.none
        var warnings: Set<String> = []
    }

    /// A login that was tried.
    fileprivate enum Login {
        case none
        case anonymous(reason: String?, problem: CapsuleError?)
        case credential(Credential)
    }

    package init(
        _ reference: OCIReference, _ access: Access, _ transport: Transport, credentials: CredentialStore, trustedRealms: String,
        cache: BlobCache?
    ) {
        self.reference = reference
        self.access = access
        self.transport = transport
        self.credentials = credentials
        self.trustedRealms = trustedRealms
        self.cache = cache
    }

    package func send(_ request: HTTPRequest) throws(CapsuleError) -> HTTPAnswer {
        try send([request], atOnce: 1)[0]
    }

    /// Sends requests. If the registry asks for a login, they are sent again with one, once.
    /// - Throws: also if the registry does not let us in. Another error status is an answer.
    package func send(_ requests: [HTTPRequest], atOnce: Int) throws(CapsuleError) -> [HTTPAnswer] {
        let authorization = state.withLock { $0.authorization }
        var answers = try transport.send(requests.map { authorized($0, authorization) }, atOnce: atOnce)
        for answer in answers where answer.address.origin == reference.origin { report(warningsOf: answer) }
        let refused = answers.indices.filter { isRefused(answers[$0]) }
        guard let first = refused.first else { return answers }
        let renewed = try logIn(answers[first])
        let again = try transport.send(refused.map { authorized(requests[$0], renewed) }, atOnce: atOnce)
        for (index, answer) in zip(refused, again) {
            if isRefused(answer) { throw failure(of: answer) }
            answers[index] = answer
        }
        return answers
    }

    /// Reports each warning once (distribution-spec, "Warnings").
    private func report(warningsOf answer: HTTPAnswer) {
        for value in answer.head.values("warning") where value.hasPrefix(Self.warningPrefix) && value.hasSuffix("\"") {
            let text = String(value.dropFirst(Self.warningPrefix.count).dropLast().prefix(500))
            let isNew = state.withLock { $0.warnings.count < Self.mostWarnings && $0.warnings.insert(text).inserted }
            if isNew { transport.notice("\(reference.authority) says: \(text)", true) }
        }
    }

    private static let warningPrefix = "299 - \""
    private static let mostWarnings = 10

    private func authorized(_ request: HTTPRequest, _ authorization: String?) -> HTTPRequest {
        var request = request
        // A request may go to another server, such as a blob's storage.
        if request.address.origin == reference.origin { request.authorization = authorization }
        return request
    }

    private func isRefused(_ answer: HTTPAnswer) -> Bool {
        answer.status == 401 && answer.address.origin == reference.origin
    }

    private func logIn(_ answer: HTTPAnswer) throws(CapsuleError) -> String {
        let challenges = Challenge.parse(answer.head.values("www-authenticate"))
        let found = try credentials.credential(for: reference)
        let login = found.credential.map { Login.credential($0) } ?? .anonymous(reason: nil, problem: found.problem)
        let authorization: String
        if let bearer = challenges.first(where: \.isBearer) {
            authorization = "Bearer " + (try token(bearer, found))
        } else if challenges.contains(where: \.isBasic), case .password(let user, let password)? = found.credential {
            authorization = Self.basic(user, password)
            state.withLock { $0.login = login }
        } else {
            state.withLock { $0.login = login }
            guard challenges.isEmpty || challenges.contains(where: \.isBasic) else {
                let names = challenges.map(\.scheme).joined(separator: ", ")
                throw CapsuleError(
                    .notPermitted, "the registry wants a login of a kind that is not known here: \(names)",
                    path: HostPath(reference.text))
            }
            throw failure(of: answer)
        }
        state.withLock { $0.authorization = authorization }
        return authorization
    }

    private static func basic(_ user: String, _ password: String) -> String {
        "Basic " + String(decoding: Base64.encode(Array("\(user):\(password)".utf8)), as: UTF8.self)
    }

    /// The longest answer of a token service, in bytes.
    private static let tokenLimit = 1 << 20

    /// Asks a token service (distribution, docs/content/spec/auth/token.md and oauth.md).
    private func token(_ challenge: Challenge, _ found: CredentialStore.Answer) throws(CapsuleError) -> String {
        let service: WebAddress
        var credential = found.credential
        var login = credential.map { Login.credential($0) } ?? .anonymous(reason: nil, problem: found.problem)
        switch TrustedRealm(challenge.realm ?? "", of: reference.origin, named: trustedRealms) {
        case .accepted(let address): service = address
        case .anonymous(let address, let reason):
            service = address
            if credential != nil { login = .anonymous(reason: reason, problem: nil) }
            credential = nil
        case .refused(let reason): throw CapsuleError(.refused, reason, path: HostPath(reference.text))
        }
        state.withLock { [login] in $0.login = login }
        let answer = try transport.send(tokenRequest(service, challenge.service, credential))
        guard answer.status == 200 else { throw failure(of: answer) }
        let list = try ReceivedJSON.object(answer.body, limit: Self.tokenLimit, isLenient: true, path: HostPath(service.shown))
        guard let token = [list.text("token"), list.text("access_token")].compactMap({ $0 }).first(where: { !$0.isEmpty }),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw CapsuleError(.damaged, "the token service sent no token", path: HostPath(service.shown)) }
        return token
    }

    private func tokenRequest(_ service: WebAddress, _ name: String?, _ credential: Credential?) -> HTTPRequest {
        let scope = "repository:\(reference.repository):\(access.rawValue)"
        var request: HTTPRequest
        if case .identityToken(let token)? = credential {
            request = HTTPRequest(.post, service, fields: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
            let form = [
                ("grant_type", "refresh_token"), ("service", name ?? ""), ("client_id", "capsule"), ("scope", scope),
                ("refresh_token", token),
            ]
            request.body = HTTPBody(Array(form.map { "\($0.0)=\(WebAddress.queryValue($0.1))" }.joined(separator: "&").utf8))
        } else {
            let address = name.map { service.adding("service", $0) } ?? service
            request = HTTPRequest(.get, address.adding("scope", scope))
            if case .password(let user, let password)? = credential { request.authorization = Self.basic(user, password) }
        }
        request.followsRedirects = false
        request.limit = Self.tokenLimit
        return request
    }

    /// The error for an answer that is not the wanted one. It shows what the registry says.
    package func failure(of answer: HTTPAnswer, _ what: String? = nil) -> CapsuleError {
        RegistryFailure(answer, reference, what, login: state.withLock { $0.login }).error
    }

    func errorCodes(in answer: HTTPAnswer) -> [String] { RegistryFailure.codes(in: answer.body).map(\.code) }
}

/// The meaning of a registry's answer with an error status.
private struct RegistryFailure {
    let error: CapsuleError

    init(_ answer: HTTPAnswer, _ reference: OCIReference, _ what: String?, login: RegistryClient.Login) {
        let codes = Self.codes(in: answer.body)
        let said =
            codes.isEmpty
            ? "" : ": " + codes.map { $0.message.isEmpty ? $0.code : "\($0.code): \($0.message)" }.joined(separator: "; ")
        let path = HostPath(reference.text)
        let isGitHub = reference.authority == "ghcr.io"
        // An upload or a redirect may lead to another server.
        let isElsewhere = answer.address.origin != reference.origin
        let server = isElsewhere ? answer.address.authority : "the registry"
        switch answer.status {
        case 401: error = Self.refusal(reference, login, said)
        case 403:
            error = CapsuleError(
                .notPermitted, "\(server) does not allow that (403)\(said)", path: path,
                hint: isGitHub && !isElsewhere
                    ? "the token needs the scope write:packages, and the package must allow the repository under 'Manage Actions access'"
                    : nil)
        case 404:
            let isPush = answer.address.path.hasSuffix("/uploads/")
            let missing = reference.tag == nil && reference.digest == nil ? "tag 'latest', which is meant if none is given" : nil
            error = CapsuleError(
                .notFound, "the registry has no \(what ?? missing ?? "such repository or tag") (404)\(said)", path: path,
                hint: isPush
                    ? "some registries want a repository to be created before the first push"
                    : isGitHub
                        ? "a private package looks like one that is missing"
                        : what == nil ? "'capsule tags' lists the tags of a repository" : "check the name")
        case 300..<400:
            error = CapsuleError(
                .refused, "\(answer.address.authority) redirects where it must not (\(answer.status))", path: path)
        case 429:
            error = CapsuleError(
                "\(server) has received too many requests (429)\(said)", path: path,
                hint: "wait a while, or log in: many registries allow more then")
        default:
            error = CapsuleError(
                "\(server) answered with status \(answer.status)\(said)", path: path,
                hint: answer.status == 400 && reference.origin.scheme == .http
                    ? "a registry with TLS on this machine is named with oci+https://" : nil)
        }
    }

    private static func refusal(_ reference: OCIReference, _ login: RegistryClient.Login, _ said: String) -> CapsuleError {
        let host = reference.authority
        let path = HostPath(reference.text)
        let hint =
            "'docker login \(host)', 'podman login \(host)' or 'oras login \(host)' stores a password; CI sets CAPSULE_REGISTRY_HOST, "
            + "CAPSULE_REGISTRY_USERNAME and CAPSULE_REGISTRY_PASSWORD"
        switch login {
        case .credential(let credential):
            return CapsuleError(.notPermitted, "the registry does not accept \(credential)\(said)", path: path, hint: hint)
        case .anonymous(let reason?, _):
            return CapsuleError(.notPermitted, "the registry wants a login\(said)", path: path, hint: reason)
        case .anonymous(nil, let problem?):
            var error = CapsuleError(
                .notPermitted, "the registry wants a login, and none was found\(said)", path: path, hint: problem.hint ?? hint)
            error.details = [problem.description]
            return error
        case .none, .anonymous:
            return CapsuleError(.notPermitted, "the registry wants a login, and none was found\(said)", path: path, hint: hint)
        }
    }

    /// The errors that a body lists (distribution-spec, "Error Codes"), shortened and printable.
    static func codes(in body: [UInt8]) -> [(code: String, message: String)] {
        guard let list = try? ReceivedJSON.object(body, limit: 64 << 10, isLenient: true, path: HostPath("")),
            let errors = list["errors"]?.array
        else { return [] }
        func shown(_ text: String?) -> String { QuotedBytes(Array((text ?? "").utf8.prefix(200))).text }
        return errors.prefix(3).compactMap { item in
            item.dictionary.map { (shown($0.text("code")), shown($0.text("message"))) }
        }
    }
}
