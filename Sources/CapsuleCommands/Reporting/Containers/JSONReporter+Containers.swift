import CapsuleCore
import CapsuleEngine

extension JSONReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.diff")
        header.add("version", UInt64(1))
        header.add("a", Self.side(diff.old))
        header.add("b", Self.side(diff.new))
        header.add("all", style.showsNoise)
        var report = header.closed + [Self.newline]
        for entry in diff.entries where style.showsNoise || !entry.isNoise {
            report += JSONEntry.line(entry, style).closed + [Self.newline]
            for detail in entry.details where style.showsNoise || detail.noise == nil {
                report += JSONDetail(entry.path, style).line(detail).closed + [Self.newline]
            }
        }
        let counts = diff.counts
        for (noise, changes) in counts.noise {
            var line = JSONText()
            line.add("kind", "noise")
            line.add("class", noise.rawValue)
            line.add("changes", UInt64(changes))
            report += line.closed + [Self.newline]
        }
        let findings = JSONFinding(style)
        for rule in diff.unusedRules { report += findings.line(rule).closed + [Self.newline] }
        for clause in diff.unmatchable { report += findings.line(clause).closed + [Self.newline] }
        for finding in result?.report(on: diff) ?? [] { report += findings.line(finding).closed + [Self.newline] }
        var end = JSONText()
        end.add("kind", "end")
        end.add("status", UInt64(Self.status(of: diff, result)))
        end.add("changes", UInt64(counts.changes))
        end.add("noise", UInt64(counts.noiseChanges))
        end.add("complete", diff.isComplete)
        end.add("exact", diff.isExact)
        end.add("shown", UInt64(counts.changes + counts.noiseChanges - diff.unshownChanges))
        return report + end.closed + [Self.newline]
    }

    /// The exit status, whatever `--exit-zero` makes of it.
    private static func status(of diff: ContainerDiff, _ result: ExpectationResult?) -> Int {
        if diff.unread > 0 { return 2 }
        return (result.map { !$0.holds } ?? diff.isDifferent) ? 1 : 0
    }

    private static func side(_ side: ContainerDiff.Side) -> JSONText {
        var text = JSONText()
        text.add("source", name: side.source)
        text.add("tree", side.tree?.hex)
        return text
    }
}
