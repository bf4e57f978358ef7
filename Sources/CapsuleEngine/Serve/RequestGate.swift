/// Decides which requests a server on the loopback answers: those of a program that has the token, and no page of a browser.
///
/// A page can make a browser send requests to the loopback, also by a name of its own that leads there. It can't leave out `Origin`,
/// choose `Host`, or read the token.
package struct RequestGate: Sendable {
    private let hosts: [String]
    private let token: [UInt8]

    package init(port: UInt16, token: String) {
        hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        self.token = Array("Bearer \(token)".utf8)
    }

    package func check(_ request: ReceivedRequest) throws(RequestRefusal) {
        let hosts = request.values(of: "host")
        guard hosts.count == 1, self.hosts.contains(where: { $0.utf8.elementsEqual(hosts[0]) }) else {
            throw RequestRefusal(421, "the field Host does not name this server: it is \(self.hosts[0])")
        }
        guard request.values(of: "origin").isEmpty else {
            throw RequestRefusal(403, "the request comes from a page of a browser")
        }
        let tokens = request.values(of: "authorization")
        guard tokens.count == 1, isToken(tokens[0]) else {
            throw RequestRefusal(401, "the field Authorization is not 'Bearer' with the token of the port file")
        }
        guard request.method == "POST" else { throw RequestRefusal(405, "the method is not POST") }
    }

    /// Compares in a time that does not depend on where two texts differ.
    private func isToken(_ text: [UInt8]) -> Bool {
        guard text.count == token.count else { return false }
        return zip(text, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
