import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// Makes jobs one after the other, does them in parallel, and takes the results in the order of the jobs.
///
/// Making and taking are each done by one thread at a time, whichever is free. No more jobs are under way than `window`, so
/// memory does not grow with the work.
final class OrderedPipeline<Job: Sendable, Output: Sendable>: @unchecked Sendable {
    /// What the taker of a result wants next.
    enum Step {
        case proceed
        /// Forget every job made so far, and make jobs anew after this has run.
        case restart(() -> Void)
    }

    private let monitor = Monitor()
    private let window: Int
    private let make: () throws(CapsuleError) -> Job?
    private let take: (Output) throws(CapsuleError) -> Step

    // All below is the monitor's.
    private var made = 0
    private var taken = 0
    private var finished: [Int: Output] = [:]
    private var isMaking = false
    private var isTaking = false
    private var isRestarting = false
    /// Jobs that are being done.
    private var underWay = 0
    private var isExhausted = false
    private var failure: CapsuleError?

    private init(
        window: Int, make: @escaping () throws(CapsuleError) -> Job?, take: @escaping (Output) throws(CapsuleError) -> Step
    ) {
        self.window = window
        self.make = make
        self.take = take
    }

    /// Runs until `make` gives no more jobs and all results are taken.
    ///
    /// - Parameters:
    ///   - threads: how many work at a time, the caller's included.
    ///   - worker: makes what does the jobs of one thread.
    /// - Throws: the first error of any step; work under way is finished, and its results are dropped.
    static func run(
        threads: Int, make: @escaping () throws(CapsuleError) -> Job?,
        worker: @escaping @Sendable () -> (Job) throws(CapsuleError) -> Output,
        take: @escaping (Output) throws(CapsuleError) -> Step
    ) throws(CapsuleError) {
        let pipeline = OrderedPipeline(window: 2 * threads + 1, make: make, take: take)
        WorkerThreads.run(threads) { _ in pipeline.work(worker()) }
        if let failure = pipeline.failure { throw failure }
    }

    private func work(_ perform: (Job) throws(CapsuleError) -> Output) {
        monitor.lock()
        defer { monitor.unlock() }
        while failure == nil {
            if !isTaking, let output = finished.removeValue(forKey: taken) {
                takeOne(output)
            } else if !isMaking, !isRestarting, !isExhausted, made - taken < window {
                makeOne(perform)
            } else if isExhausted, made == taken, !isMaking, !isTaking {
                break
            } else {
                monitor.wait()
            }
        }
        monitor.signal()
    }

    /// Runs `body` without the lock; an error ends the whole.
    private func outside<Outcome>(_ body: () throws(CapsuleError) -> Outcome) -> Outcome? {
        monitor.unlock()
        let outcome = Result { () throws(CapsuleError) in try body() }
        monitor.lock()
        switch outcome {
        case .success(let value): return value
        case .failure(let error):
            if failure == nil { failure = error }
            monitor.signal()
            return nil
        }
    }

    private func takeOne(_ output: Output) {
        isTaking = true
        let step = outside { () throws(CapsuleError) in try take(output) }
        if case .restart(let prepare) = step {
            // Jobs of before may still look at what the restart makes anew.
            isRestarting = true
            while isMaking || underWay > 0 { monitor.wait() }
            isRestarting = false
            prepare()
            finished.removeAll()
            taken = made
            isExhausted = false
        } else {
            taken += 1
        }
        isTaking = false
        monitor.signal()
    }

    private func makeOne(_ perform: (Job) throws(CapsuleError) -> Output) {
        isMaking = true
        // Two optionals: none made because of an error, or because there is no more.
        let job = outside { () throws(CapsuleError) in try make() }
        isMaking = false
        guard let job = job ?? nil else {
            isExhausted = true
            monitor.signal()
            return
        }
        let number = made
        made += 1
        underWay += 1
        monitor.signal()
        let outcome = outside { () throws(CapsuleError) in try perform(job) }
        underWay -= 1
        guard let output = outcome else {
            monitor.signal()
            return
        }
        // A restart may have made the result worthless meanwhile.
        if number >= taken { finished[number] = output }
        monitor.signal()
    }
}

/// Buffers that go from the threads that fill them to the one that writes them out, and back.
final class BufferPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [ByteBuffer] = []

    /// An empty buffer.
    func take() -> ByteBuffer {
        monitor.locked { free.popLast() } ?? ByteBuffer(capacity: 1 << 18)
    }

    /// Gives a buffer back.
    func give(_ buffer: ByteBuffer) {
        buffer.removeAll()
        monitor.locked { free.append(buffer) }
    }
}

/// A digest of pieces that come from several threads, each in its turn.
final class OrderedDigest: @unchecked Sendable {
    private let turns = TurnTaking()
    // Only in turn.
    private var hasher = SHA256Hasher()

    /// Waits for its turn, lets `body` feed the digest, and gives the turn on.
    func take<Failure: Error>(_ number: Int, _ body: (OrderedDigest) throws(Failure) -> Void) throws(Failure) {
        try turns.take(number) { () throws(Failure) in try body(self) }
    }

    /// In turn only: takes in the pieces of a stretch, in order.
    func update(_ pieces: [StreamPiece], of buffer: ByteBuffer) throws(CapsuleError) {
        for piece in pieces {
            if let place = piece.place {
                hasher.update(buffer.bytes(in: place..<place + Int(piece.length)))
            } else {
                try hasher.updateZeros(piece.length)
            }
        }
    }

    /// In the last turn only.
    func finish() -> ContentDigest { hasher.finish() }
}

extension SHA256Hasher {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)
    private static let checkInterval: UInt64 = 64 << 20

    /// Takes in so many zeros, unless the user asks to stop: a hole takes no room, and yet long to digest.
    mutating func updateZeros(_ length: UInt64) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            if rest % Self.checkInterval < UInt64(Self.zeros.count) { try CapsuleError.checkInterruption() }
            let count = Int(min(rest, UInt64(Self.zeros.count)))
            Self.zeros.withUnsafeBytes { update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= UInt64(count)
        }
    }
}

/// A stretch of a file's bytes, and where it is.
struct StreamPiece: Sendable {
    enum Source: Sendable {
        /// In the stretch of stream, from this place on.
        case stream(Int)
        /// Zeros that are nowhere.
        case zeros
        /// In a data member that the capsule has already.
        case stored(MemberReference, inner: UInt32)
    }

    let source: Source
    let length: UInt64

    init(_ source: Source, length: UInt64) {
        self.source = source
        self.length = length
    }

    init(_ extent: StoredExtent) {
        source = extent.member.map { .stored($0, inner: extent.inner) } ?? .zeros
        length = extent.length
    }

    /// The place in the stream; nil for what is not in it.
    var place: Int? {
        if case .stream(let place) = source { place } else { nil }
    }
}
