import CapsuleCore
import CapsuleMerge
import CapsulePropertyList

/// Merges three property lists. If they can be read, they merge, swapping the sides swaps the conflicts, and the conflicts file lists
/// all of them.
enum MergeRound {
    /// The separator between two of them. It never occurs in text, and rarely in binary property lists.
    private static let divider: [UInt8] = [0xFF, 0x00, 0xFF]
    private static let labels = MergeLabels(ours: "ours", base: "base", theirs: "theirs")
    private static let limits = PlistLimits(depth: 64, binaryObjects: 4096, outputBytes: 1 << 20)

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        let parts = parts(of: bytes)
        let documents = parts.compactMap { try? PlistDocument.read($0, limits: limits) }
        guard parts.count == 3, documents.count == 3 else { return nil }
        let (base, ours, theirs) = (documents[0], documents[1], documents[2])
        let merged: Merged
        do throws(OverlayError) {
            merged = try Merged(base, ours, theirs)
        } catch {
            return error.message.isEmpty ? "an error that says nothing" : nil
        }
        guard let written = try? PlistDocument.read(merged.bytes), written.value == merged.value else {
            return "what was merged does not read as its value"
        }
        guard let swapped = try? Merged(base, theirs, ours) else { return "can't be merged with the sides swapped" }
        let (found, mirrored) = (merged.conflicts, swapped.conflicts)
        guard found.map(\.ours) == mirrored.map(\.theirs), found.map(\.theirs) == mirrored.map(\.ours),
            found.map(\.pointer) == mirrored.map(\.pointer), found.map(\.kind) == mirrored.map(\.kind)
        else { return "other conflicts with the sides swapped" }
        if found.isEmpty { return swapped.value == merged.value ? nil : "another value with the sides swapped" }
        let (taken, other) = (try? Merged(base, ours, theirs, taking: .ours), try? Merged(base, theirs, ours, taking: .theirs))
        // The text of one side may be unable to hold the comments of the other, which is an error.
        guard taken == nil || other == nil || taken?.value == other?.value else {
            return "theirs of the sides swapped is not ours"
        }
        // The encoding of ours may be unable to hold a value that only theirs changed.
        guard taken == nil || taken?.value == merged.value else { return "ours taken is not what stands in open places" }
        guard (try? PlistDocumentMerge().marked(base: base, ours: ours, theirs: theirs, labels: labels)) != nil else {
            return "can't be marked"
        }
        return problem(with: found)
    }

    /// The result of a merge of documents.
    private struct Merged {
        let bytes: [UInt8]
        let value: PlistValue
        let conflicts: [Conflict]

        init(
            _ base: PlistDocument, _ ours: PlistDocument, _ theirs: PlistDocument, taking side: MergePreference.Side? = nil
        ) throws(OverlayError) {
            var decisions = MergeDecisions(preferences: side.map { [MergePreference($0, text: $0.rawValue)] } ?? [])
            let outcome = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
            (bytes, value, conflicts) = (outcome.bytes, outcome.value, decisions.conflicts)
        }
    }

    /// Returns a conflict that the conflicts file does not keep; nil if it keeps all.
    private static func problem(with conflicts: [Conflict]) -> String? {
        let input = ConflictsDocument.Input(source: Array("x.plist".utf8), digest: "0")
        let document = ConflictsDocument(base: input, ours: input, theirs: input, conflicts: conflicts)
        guard let text = try? JSONPlistWriter.write(document.document, options: .typed),
            let value = try? PlistReader.read(text, accepting: [.json], json: .typed).value,
            let read = try? ConflictsDocument(value)
        else { return "a file of conflicts that can't be read again" }
        return read == document ? nil : "a file of conflicts that says something else when it is read again"
    }

    private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var place = 0
        while place < bytes.count {
            if bytes[place...].starts(with: divider) {
                parts.append([])
                place += divider.count
            } else {
                parts[parts.count - 1].append(bytes[place])
                place += 1
            }
        }
        return parts
    }
}
