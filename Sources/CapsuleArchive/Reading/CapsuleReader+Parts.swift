package import CapsuleCore
import CapsuleSystem

/// The parts of a capsule that are copied from one place to another: whole versions and label records.
extension CapsuleReader {
    /// Returns the footers of all versions and label records up to an offset, in the order of the file.
    package func parts(through end: UInt64 = .max) throws(CapsuleError) -> [Footer] {
        let (chain, failure) = readableChain()
        if let failure { throw failure }
        return chain.reversed().filter { $0.end <= end }
    }

    /// Compares the parts after an offset with their digests and checksums, so that nobody gets damaged bytes as a new version.
    package func check(_ parts: [Footer], after start: UInt64) throws(CapsuleError) {
        let reader = MemberReader(file: file, codec: codec)
        for footer in parts where footer.end > start {
            let segment = try SegmentCheck(self, footer)
            if let problem = segment.problem {
                let part = footer.isLabel ? "a label record" : "version \(footer.version)"
                throw CapsuleError(.damaged, "\(part) is damaged: \(problem)", path: file.path)
            }
            for member in segment.members where member.kind == .data {
                try CapsuleError.checkInterruption()
                _ = try reader.bytes(of: member.reference)
            }
        }
    }
}
