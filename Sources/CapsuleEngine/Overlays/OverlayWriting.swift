public import CapsuleCore

/// Where the overlay goes that turns one container into another, and what it has.
public struct OverlayWriting: Sendable {
    /// Where it goes.
    public let output: OverlayOutput
    /// Whether property lists are changed by their values alone, and their bytes left out.
    public var isByValue = false
    /// Whether what is needed for the way back is left out.
    public var isOneWay = false
    /// Whether files that changed in places are carried whole, so that they can be merged.
    public var carriesWhole = false
    /// The moment that the manifest has.
    public let captured: Timestamp

    /// An overlay with the way back, and with all bytes.
    public init(_ output: OverlayOutput, captured: Timestamp) {
        self.output = output
        self.captured = captured
    }

    /// Writes what turns one side into the other.
    func write(
        _ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions, progress: (any ProgressObserver)?
    ) throws(CapsuleError) {
        var wanted = OverlayBuilder.Options()
        wanted.isByValue = isByValue
        wanted.isOneWay = isOneWay
        wanted.carriesWhole = carriesWhole
        wanted.arrays = options.arrays
        wanted.jobs = options.jobs
        let package = try OverlayBuilder(turning: old, into: new, options: wanted).package()
        let output = output.limited(to: [old.fileMode, new.fileMode].compactMap { $0 })
        try output.write(package, captured: captured, jobs: options.jobs, progress: progress)
    }
}
