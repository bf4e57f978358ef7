import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// What is no merge of property lists.
extension GitMergeDriver {
    /// Merges the lines, as git does without a driver.
    func fallBack(_ file: EditedFile, _ trouble: CapsuleError) -> Outcome {
        let labels = ["-L", "ours", "-L", "base", "-L", "theirs"].map { Array($0.utf8) }
        let arguments =
            [Array("merge-file".utf8), Array("-p".utf8), Array("--marker-size=\(size)".utf8)] + labels
            + [ours, base, theirs].map { Self.asPath($0) }
        let limit = Int(PlistFile.longest) * 3
        let other = try? EditedFile(theirs, limit: PlistFile.longest).bytes
        if let merged = try? GitProgram.run(arguments, limit: limit), merged.status <= 127 {
            var outcome = Outcome(status: min(merged.status, Self.mostConflicts), trouble: trouble)
            if let old = try? EditedFile(base, limit: PlistFile.longest).bytes, MarkedReadings(old) != nil {
                // Git's own, of a merge of bases or of a resolution that it remembers.
                outcome.trouble = nil
                outcome.notes = ["merged as text: the base has conflict marks"]
            }
            if let other, !isSound(merged.output), isSound(file.bytes), isSound(other) {
                outcome = Outcome(status: max(outcome.status, 1), notes: outcome.notes, trouble: outcome.trouble)
                outcome.notes.append("merging by lines does not give a valid property list, so all differences are one conflict")
                return Self.write(oneBlock(file.bytes, other), into: file, outcome)
            }
            return Self.write(merged.output, into: file, outcome)
        }
        // Git merges no binary files. Whoever opens this one is to see that nothing has been decided.
        let outcome = Outcome(status: Self.failed, trouble: trouble)
        guard let other else { return outcome }
        return Self.write(wideText(file.bytes, other) ?? bothSides(file.bytes, other), into: file, outcome)
    }

    /// Whether it is a property list, by either side where it has marks.
    private func isSound(_ bytes: [UInt8]) -> Bool {
        if (try? PlistDocument.read(bytes)) != nil { return true }
        guard let readings = MarkedReadings(bytes) else { return false }
        return [readings.ours, readings.theirs].allSatisfy { (try? PlistDocument.read($0)) != nil }
    }

    /// One block from the first line that differs to the last.
    private func oneBlock(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        guard let own = try? TextContent(ours), let other = try? TextContent(theirs), own.encoding == other.encoding,
            own.hasMark == other.hasMark
        else { return bothSides(ours, theirs) }
        let merge = TextMerge(base: nil, ours: own, theirs: other)
        return merge.marked(size: size, ours: Self.labels.ours, base: nil, theirs: Self.labels.theirs)
    }

    /// The lines of texts in UTF-16, which git takes for binary files; nil where one of the three is no text.
    private func wideText(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8]? {
        guard let old = try? EditedFile(base, limit: PlistFile.longest).bytes, let own = try? TextContent(ours),
            let other = try? TextContent(theirs)
        else { return nil }
        let content = old.isEmpty ? nil : try? TextContent(old)
        guard old.isEmpty || content != nil else { return nil }
        var merge = TextMerge(base: content, ours: own, theirs: other)
        var decisions = MergeDecisions()
        _ = merge.merge(&decisions)
        // Which encoding it is to be can't be marked.
        guard !decisions.conflicts.contains(where: { $0.kind == .encoding }) else { return nil }
        return merge.marked(size: size, ours: Self.labels.ours, base: Self.labels.base, theirs: Self.labels.theirs)
    }

    /// A file of that name, and no flag.
    private static func asPath(_ path: HostPath) -> [UInt8] {
        path.bytes.first == UInt8(ascii: "-") ? Array("./".utf8) + path.bytes : path.bytes
    }

    /// One block with all of ours and all of theirs: of what is a binary property list its text in XML, of anything else its bytes.
    private func bothSides(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        func mark(_ character: Character, _ label: String) -> [UInt8] {
            Array((String(repeating: character, count: size) + (label.isEmpty ? "" : " " + label) + "\n").utf8)
        }
        func shown(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if let document = try? PlistDocument.read(bytes), document.format == .binary,
                let text = try? PlistWriter.write(document.value, as: .xml)
            {
                bytes = text
            }
            return bytes.last == 0x0A || bytes.isEmpty ? bytes : bytes + [0x0A]
        }
        return mark("<", Self.labels.ours) + shown(ours) + mark("=", "") + shown(theirs) + mark(">", Self.labels.theirs)
    }
}
