import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsuleRemote
import CapsuleSystem

/// Compares everything in a capsule with its digests.
package struct Verifier: Sendable {
    package struct Finding: Sendable, Hashable {
        /// The version that the problem is in; nil if it is not in one version.
        package let version: UInt32?
        /// The tree path of the file that the problem is in; nil if it is not in a file.
        package let path: [UInt8]?
        package let message: String
    }

    package struct Outcome: Sendable {
        package var findings: [Finding] = []
        /// Warnings about things that are allowed, such as an unfinished append.
        package var warnings: [String] = []
        /// The signatures that were checked.
        package var signatures: [SignatureCheck.Signature] = []
        /// The suggestion for the findings, in lower case and without a period; nil if nothing needs to be done.
        package var hint: String?
        /// True if the tar stream was compared with the index. Otherwise other tools might see something else in the file.
        package var isStreamCompared = false
        /// The versions of which nothing can be read, because their manifests or indexes are damaged.
        var unreadable: Set<UInt32> = []
        package var versions = 0
        package var entries: UInt64 = 0
        package var bytes: UInt64 = 0

        package var isWhole: Bool { findings.isEmpty }
        package init() {}

        /// Creates an outcome for a file in which no version could be found.
        package init(failing error: CapsuleError) {
            findings = [Finding(version: nil, path: nil, message: error.message)]
        }
    }

    private let isStrict: Bool
    private let signatures: SignatureCheck?
    private let jobs: Int
    private let progress: (any ProgressObserver)?

    /// - Parameters:
    ///   - isStrict: true to make the first version's tar stream again from the index and compare it, and to require that every
    ///     byte of the file is used.
    ///   - signatures: the check of the signatures of a capsule that is intact; nil for none.
    package init(
        isStrict: Bool, signatures: SignatureCheck? = nil, jobs: Int, progress: (any ProgressObserver)? = nil
    ) {
        self.isStrict = isStrict
        self.signatures = signatures
        self.jobs = jobs
        self.progress = progress
    }

    package func verify(_ path: HostPath) throws(CapsuleError) -> Outcome {
        let file = try Self.open(path)
        let capsule: CapsuleReader
        do throws(CapsuleError) {
            capsule = try CapsuleReader(file)
        } catch {
            throw error.hinting(Self.hint(for: error))
        }
        try file.fetch([0..<file.length])
        var outcome = try verify(capsule)
        if outcome.isWhole, let listed = file.remote as? any ListedCapsule, try listed.config != CapsuleConfig(of: capsule) {
            let message = "the config lists the versions in another way than the capsule does"
            outcome.findings.append(Finding(version: nil, path: nil, message: message))
        }
        if outcome.isWhole, let signatures {
            outcome.signatures = try signatures.run(capsule)
            outcome.findings = outcome.signatures.compactMap { signature in
                signature.problem.map { Finding(version: signature.version, path: nil, message: $0) }
            }
        }
        return outcome
    }

    func verify(_ capsule: CapsuleReader) throws(CapsuleError) -> Outcome {
        let footers: [Footer]
        do throws(CapsuleError) {
            footers = try capsule.footers()
        } catch {
            throw error.hinting(Self.hint(for: error))
        }
        var outcome = Outcome()
        outcome.versions = footers.count
        outcome.isStreamCompared = isStrict
        recordTail(capsule, footers, &outcome)
        var report = ProgressReport()
        var checked = CheckedContents()
        // The oldest version comes first, so that contents which a newer version refers to are already checked.
        for footer in footers.reversed() {
            try verify(capsule, footer, &checked, &outcome, &report)
        }
        let areVersionsWhole = outcome.isWhole
        for footer in capsule.readableChain().footers where footer.isLabel {
            guard let message = try problem(ofLabel: footer, in: capsule) else { continue }
            outcome.findings.append(Finding(version: nil, path: nil, message: message))
            if areVersionsWhole {
                outcome.hint = capsule.labelHint
            }
        }
        if !outcome.isWhole, outcome.hint == nil {
            outcome.hint = outcome.hint(for: capsule.file.path, versions: footers.map(\.version))
        }
        return outcome
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleFile {
        do throws(CapsuleError) {
            return try CapsuleFile.open(path)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule verify \($0.shellWord)' checks all versions of the file" }
        }
    }

    private static func hint(for error: CapsuleError) -> String? {
        switch error.code {
        case .torn, .damaged: "tar may still extract files from it"
        case .notCapsule: "'capsule pack' turns a container into a capsule"
        default: nil
        }
    }

    private func recordTail(_ capsule: CapsuleReader, _ footers: [Footer], _ outcome: inout Outcome) {
        outcome.hint = Container.hint(for: capsule.tail, of: capsule.file.path)
        switch capsule.tail {
        case .whole, .growing:
            break
        case .torn(let end):
            let text = "the tail from byte \(end) to the end is incomplete: an append did not finish"
            if isStrict {
                outcome.findings.append(Finding(version: nil, path: nil, message: text))
            } else {
                outcome.warnings.append(text)
            }
        case .damaged(let end):
            outcome.findings.append(
                Finding(
                    version: nil, path: nil,
                    message: "the tail from byte \(end) to the end is damaged: no version can be read from it"))
        }
        if isStrict, let oldest = footers.last, oldest.segmentStart != 0 {
            outcome.findings.append(
                Finding(
                    version: oldest.version, path: nil,
                    message: "\(oldest.segmentStart) bytes before the first version belong to no version"))
        }
    }

    private func verify(
        _ capsule: CapsuleReader, _ footer: Footer, _ checked: inout CheckedContents, _ outcome: inout Outcome,
        _ report: inout ProgressReport
    ) throws(CapsuleError) {
        var findings: [Finding] = []
        func find(_ message: String, _ path: [UInt8]? = nil) {
            findings.append(Finding(version: footer.version, path: path, message: message))
        }
        defer { outcome.findings += findings }
        let segment = try SegmentCheck(capsule, footer)
        if let problem = segment.problem { find(problem) }
        let version: StoredVersion
        do throws(CapsuleError) {
            version = try StoredVersion(capsule, footer)
        } catch {
            if error.code == .interrupted { throw error }
            find(error.message, error.path == capsule.file.path ? nil : error.path?.bytes)
            outcome.unreadable.insert(footer.version)
            return
        }
        for problem in version.digestProblems { find(problem) }
        for block in version.root.blocks where block.offset >= footer.segmentStart {
            if try !capsule.hasLikeness(block) {
                find("the likeness of the index block at byte \(block.offset) does not match it")
            }
        }
        if footer.isOverlay { for (path, message) in try overlayProblems(of: version) { find(message, path) } }
        for (path, message) in try verifyFiles(of: version, &checked, &report) { find(message, path) }
        for message in try unreadMembers(of: version, segment, &checked) { find(message) }
        outcome.entries += version.root.entries
        outcome.bytes += version.root.bytes
        if isStrict {
            let problems = try StrictCheck(version, segment).run()
            for problem in problems { find(problem) }
        }
    }

    private func overlayProblems(
        of version: StoredVersion
    ) throws(CapsuleError) -> [(path: [UInt8]?, message: String)] {
        let overlay: Overlay
        do throws(CapsuleError) {
            overlay = try OverlayPackage.overlay(of: version)
        } catch {
            return [(nil, error.message)]
        }
        guard let (path, message) = OverlayCapsuleCheck(overlay, entries: version.entries).problem() else { return [] }
        return [(path?.bytes, message)]
    }

    /// Returns the files whose bytes don't match their digests.
    /// - Parameter checked: the results for contents in earlier versions. The same bytes need not be read again.
    private func verifyFiles(
        of version: StoredVersion, _ checked: inout CheckedContents, _ report: inout ProgressReport
    ) throws(CapsuleError) -> [(path: [UInt8], message: String)] {
        let entries = version.entries
        let contents = entries.indices.map { CheckedContents.Content(version, $0) }
        let numbers = entries.indices.filter { entries[$0].kind.hasContent && !checked.has(contents[$0]) }
        report.totalFiles += UInt64(numbers.count)
        report.totalBytes += numbers.reduce(0) { $0 + entries[$1].size }
        let meter = RunningReport(report, progress)
        var messages: [Int: String] = [:]
        let digester = ContentDigester(version.opened, numbers: numbers, jobs: min(jobs, numbers.count)) {
            meter.add(files: $0, bytes: $1)
        }
        try digester.forEach { (number, outcome) throws(CapsuleError) in
            switch outcome {
            case .success(let digest) where digest == entries[number].digest: break
            case .success: messages[number] = "does not match its digest"
            case .failure(let error): messages[number] = error.message
            }
        }
        report = meter.report
        for number in numbers { checked.record(contents[number], messages[number]) }
        if !checked.hasProblems { return [] }
        return entries.indices.filter { entries[$0].kind.hasContent }.compactMap { number in
            checked.message(contents[number]).map { (entries[number].path.bytes, $0) }
        }
    }
}

extension Verifier {
    private func problem(ofLabel footer: Footer, in capsule: CapsuleReader) throws(CapsuleError) -> String? {
        if try SegmentCheck(capsule, footer).problem != nil {
            return "the label record at byte \(footer.segmentStart) does not match its digest"
        }
        do throws(CapsuleError) {
            _ = try capsule.label(of: footer)
            return nil
        } catch {
            guard error.code == .damaged else { throw error }
            return error.message
        }
    }

    /// Decompresses the data members that no file needed to be read, and returns a message for each damaged one.
    private func unreadMembers(
        of version: StoredVersion, _ segment: SegmentCheck, _ checked: inout CheckedContents
    ) throws(CapsuleError) -> [String] {
        let reader = MemberReader(file: version.capsule.file, codec: version.capsule.codec)
        var messages: [String] = []
        for member in segment.members where member.kind == .data && !checked.members.contains(member.offset) {
            try CapsuleError.checkInterruption()
            do throws(CapsuleError) {
                _ = try reader.bytes(of: member.reference)
            } catch {
                guard error.code == .damaged else { throw error }
                messages.append(error.message)
            }
        }
        return messages
    }
}

/// A progress report that one thread at a time adds to.
private final class RunningReport: @unchecked Sendable {
    private(set) var report: ProgressReport
    private let observer: (any ProgressObserver)?

    init(_ report: ProgressReport, _ observer: (any ProgressObserver)?) {
        self.report = report
        self.observer = observer
    }

    func add(files: UInt64, bytes: UInt64) {
        report.files += files
        report.bytes += bytes
        observer?.advanced(to: report)
    }
}

/// The results for contents that were read. Versions share most of their contents, and the same bytes have the same digest.
private struct CheckedContents {
    struct Content: Hashable {
        let digest: ContentDigest
        let extents: [StoredExtent]

        init(_ version: StoredVersion, _ number: Int) {
            digest = version.entries[number].digest
            extents = version.content.extents(of: number).map(\.extent)
        }
    }

    private var messages: [Content: String?] = [:]
    /// The offsets of the data members that the contents are in.
    private(set) var members: Set<UInt64> = []
    private(set) var hasProblems = false

    func has(_ content: Content) -> Bool { messages.keys.contains(content) }

    mutating func record(_ content: Content, _ message: String?) {
        if message != nil { hasProblems = true }
        messages.updateValue(message, forKey: content)
        for extent in content.extents { if let member = extent.member { members.insert(member.offset) } }
    }

    func message(_ content: Content) -> String? { messages[content] ?? nil }
}
