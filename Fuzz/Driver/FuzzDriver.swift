import FuzzRounds

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The round that the environment variable `FUZZ_ROUND` names.
private let round: FuzzRound = {
    guard let name = getenv("FUZZ_ROUND"), let round = FuzzRound(rawValue: String(cString: name)) else {
        let names = FuzzRound.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FUZZ_ROUND is none of \(names)")
    }
    return round
}()

/// Runs the round on one input. libFuzzer calls this (llvm.org/docs/LibFuzzer.html).
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let complaint = round.run(Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError("fuzz: \(round): \(complaint)")
    }
    return 0
}
