package import CapsuleCore
import CapsuleSystem
import Synchronization

/// Receives a message for the user: that a server makes us wait, or a server's own warning.
package typealias TransportNotice = @Sendable (_ text: String, _ isWarning: Bool) -> Void

/// Sends requests to web servers, through the program capsule-http, which is started on first use.
///
/// Redirects are followed here, so that a secret goes to no other server; transfers that break are repeated, and continue where they
/// stopped. One thread's requests are sent at a time.
package final class Transport: Sendable {
    private let trust: TrustSettings
    let notice: TransportNotice
    private let transferred: @Sendable (Int) -> Void
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var connection: HelperConnection?
    }

    /// - Parameter transferred: is called with the number of each piece's bytes of a body that is sent or received.
    package init(
        trust: TrustSettings, notice: @escaping TransportNotice,
        transferred: @escaping @Sendable (Int) -> Void
    ) {
        self.trust = trust
        self.notice = notice
        self.transferred = transferred
    }

    package func send(_ request: HTTPRequest) throws(CapsuleError) -> HTTPAnswer {
        try send([request], atOnce: 1)[0]
    }

    /// Sends requests, several at a time.
    /// - Returns: the answers, in the order of the requests.
    /// - Throws: the first failure; the other requests are given up. An answer with an error status is not a failure.
    package func send(_ requests: [HTTPRequest], atOnce: Int) throws(CapsuleError) -> [HTTPAnswer] {
        let outcome: Result<[HTTPAnswer], CapsuleError> = state.withLock { state in
            do throws(CapsuleError) {
                let connection = if let running = state.connection { running } else { try HelperConnection() }
                // One that fails is not used again: nothing is known about its transfers.
                state.connection = nil
                let wave = Wave(requests, connection, trust: trust, notice: notice, transferred: transferred)
                let answers = try wave.run(atOnce: atOnce)
                state.connection = connection
                return .success(answers)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

/// Requests that are sent together.
private final class Wave {
    private let connection: HelperConnection
    private let trust: TrustSettings
    private let notice: TransportNotice
    private let transferred: (Int) -> Void
    private var waiting: [(exchange: Exchange, from: ContinuousClock.Instant)]
    private var active: [UInt32: Exchange] = [:]
    private var answers: [HTTPAnswer?]
    /// The settings of each server, whose files are read once.
    private var trusted: [WebAddress.Origin: TrustSettings.ForHost] = [:]

    private static let silence = Duration.seconds(10)

    init(
        _ requests: [HTTPRequest], _ connection: HelperConnection, trust: TrustSettings,
        notice: @escaping TransportNotice, transferred: @escaping (Int) -> Void
    ) {
        self.connection = connection
        self.trust = trust
        self.notice = notice
        self.transferred = transferred
        let now = ContinuousClock.now
        // The last one is the next to be sent.
        let patience = Exchange.Patience()
        waiting = requests.indices.reversed().map {
            (Exchange(requests[$0], index: $0, patience: patience), now + requests[$0].delay)
        }
        answers = Array(repeating: nil, count: requests.count)
    }

    func run(atOnce: Int) throws(CapsuleError) -> [HTTPAnswer] {
        // The time when a server is said to be silent.
        var silent = ContinuousClock.now + Self.silence
        while !waiting.isEmpty || !active.isEmpty {
            while active.count < atOnce, let next = waiting.lastIndex(where: { $0.from <= ContinuousClock.now }) {
                try start(waiting.remove(at: next).exchange)
            }
            if let frame = try connection.next(milliseconds: 50) {
                try handle(frame)
                silent = .now + Self.silence
            } else if let exchange = active.values.first, ContinuousClock.now > silent {
                notice("waiting for \(exchange.address.authority) to answer", false)
                silent = .now + .seconds(600)
            }
        }
        return answers.compactMap { $0 }
    }

    private func start(_ exchange: Exchange) throws(CapsuleError) {
        var lines = exchange.start()
        if exchange.address.scheme == .https {
            let origin = exchange.address.origin
            let settings =
                if let known = trusted[origin] { known } else {
                    try trust.settings(for: exchange.address, system: connection.systemAuthorities)
                }
            trusted[origin] = settings
            if let authorities = settings.authorities {
                lines.append(("authorities", String(try connection.number(ofAuthorities: authorities))))
            }
            for (key, path) in [
                ("authorities-folder", settings.folder), ("certificate", settings.certificate), ("key", settings.key),
            ] {
                if let path { lines.append((key, path.description)) }
            }
        }
        guard !lines.contains(where: { $0.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }) else {
            throw CapsuleError(.refused, "a request with a line break in it is not sent", path: HostPath(exchange.address.shown))
        }
        let number = connection.newNumber()
        active[number] = exchange
        try connection.send(HelperFrame.request(number, lines))
    }

    private func handle(_ frame: HelperFrame) throws(CapsuleError) {
        switch frame {
        case .version: break
        case .head(let number, let head):
            if let exchange = active[number] { try carryOut(try exchange.take(head), number, exchange) }
        case .body(let number, let bytes):
            transferred(bytes.count)
            if let exchange = active[number] { try carryOut(try exchange.take(bytes), number, exchange) }
        case .wants(let number, let offset, let count):
            guard let body = active[number]?.body else { return }
            let bytes = try body.read(offset, min(count, HelperFrame.bodyPiece))
            guard !bytes.isEmpty else { throw CapsuleError(.changed, "what is sent became shorter meanwhile") }
            try connection.send(HelperFrame.piece(number, at: offset, bytes))
            transferred(bytes.count)
        case .end(let number, let end):
            if let exchange = active[number] { try carryOut(try exchange.end(end), number, exchange) }
        }
    }

    private func carryOut(_ step: Exchange.Step, _ number: UInt32, _ exchange: Exchange) throws(CapsuleError) {
        let outcome: Exchange.Outcome
        switch step {
        case .wait: return
        case .forget(let found):
            try connection.send(HelperFrame.forget(number))
            outcome = found
        case .end(let found): outcome = found
        }
        active[number] = nil
        switch outcome {
        case .answer(let answer): answers[exchange.index] = answer
        case .again(let milliseconds, let reason):
            if let reason { notice(reason, false) }
            waiting.append((exchange, ContinuousClock.now + .milliseconds(milliseconds)))
        }
    }
}
