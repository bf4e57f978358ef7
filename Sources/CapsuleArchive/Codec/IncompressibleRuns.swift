/// Finds the stretches of a stream that no compressor makes smaller: most of an app's media.
///
/// Of each 4 KiB block 1 KiB is counted by byte value. Bytes of random data have a sum of squared counts of about
/// n + n(n−1)/256; text and tables lie far above. A stretch of 16 KiB and more below 1.25 × that is stored.
enum IncompressibleRuns {
    struct Part: Equatable {
        let range: Range<Int>
        let isIncompressible: Bool
    }

    static let blockLength = 4_096
    static let shortestRun = 16_384
    private static let sampleLength = 1_024
    private static let threshold = (sampleLength + sampleLength * (sampleLength - 1) / 256) * 5 / 4

    /// The stream's parts in order, covering it.
    static func split(_ stream: UnsafeRawBufferPointer) -> [Part] {
        guard stream.count >= shortestRun else { return [Part(range: 0..<stream.count, isIncompressible: false)] }
        var parts: [Part] = []
        var compressibleStart = 0
        var runStart: Int?
        func close(_ end: Int) {
            if let start = runStart, end - start >= shortestRun {
                if start > compressibleStart { parts.append(Part(range: compressibleStart..<start, isIncompressible: false)) }
                parts.append(Part(range: start..<end, isIncompressible: true))
                compressibleStart = end
            }
            runStart = nil
        }
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * 256) { counts in
            var block = 0
            while block + blockLength <= stream.count {
                if isIncompressible(UnsafeRawBufferPointer(rebasing: stream[block..<block + sampleLength]), counts) {
                    if runStart == nil { runStart = block }
                } else {
                    close(block)
                }
                block += blockLength
            }
            close(block)
        }
        if compressibleStart < stream.count {
            parts.append(Part(range: compressibleStart..<stream.count, isIncompressible: false))
        }
        return parts
    }

    private static func isIncompressible(_ sample: UnsafeRawBufferPointer, _ counts: UnsafeMutableBufferPointer<UInt16>) -> Bool {
        counts.update(repeating: 0)
        // Four tables, so that a repeated byte does not wait for its own last count.
        var index = 0
        while index < sampleLength {
            counts[Int(sample[index])] &+= 1
            counts[256 + Int(sample[index + 1])] &+= 1
            counts[512 + Int(sample[index + 2])] &+= 1
            counts[768 + Int(sample[index + 3])] &+= 1
            index += 4
        }
        var sum: UInt32 = 0
        for value in 0..<256 {
            let count = UInt32(counts[value] &+ counts[256 + value] &+ counts[512 + value] &+ counts[768 + value])
            sum &+= count &* count
        }
        return sum < UInt32(threshold)
    }
}
