import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
import CapsulePropertyList

extension TextReporter {
    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8] {
        var rows: [(term: String, value: [UInt8])] = []
        func add(_ term: String, _ value: String) { rows.append((term, name(Array(value.utf8)))) }
        rows.append(("name", name(description.name)))
        if let capsule = description.capsule {
            add(
                "file",
                "\(capsule.manifest.overlay == nil ? "" : "overlay ")capsule \(capsule.format), \(capsule.codec), \(Quantity.grouped(capsule.length)) bytes"
            )
            // The numbers have gaps after a capsule was compacted.
            let isPast = UInt64(capsule.version) > UInt64(capsule.versions)
            let count = Quantity.counted(UInt64(capsule.versions), "version", "versions")
            add("version", "\(capsule.version)" + (isPast ? ", in a file with \(count)" : " of \(count)"))
            if !capsule.labels.isEmpty { add("label", capsule.labels.map(\.text).joined(separator: ", ")) }
            if let note = capsule.manifest.note { rows.append(("note", name(Array(note.string.utf8)))) }
            add("captured", capsule.manifest.captured.iso8601())
            if let signature = capsule.signature { rows.append(("signature", name(signature.bytes) + text(", not checked"))) }
        }
        add("source", source(of: description.source))
        if let capsule = description.capsule {
            add("format", capsule.manifest.overlay == nil ? "capsule" : "overlay capsule")
        } else {
            for evidence in description.evidence { add("detected by", evidence) }
        }
        if let identifier = description.source.bundleIdentifier { rows.append(("app", name(Array(identifier.string.utf8)))) }
        add("layout", description.layout.rawValue)
        for group in description.groups {
            rows.append(group == ContainerNames.keychain ? ("keychain", text("of the whole device")) : ("app group", name(group)))
        }
        add("entries", Quantity.grouped(description.entries))
        add("bytes", Quantity.grouped(description.bytes))
        if let manifest = description.capsule?.manifest {
            add("tree", manifest.treeDigest.hex)
            add("content", manifest.contentDigest.hex)
        }
        if let values = description.capsule?.manifest.redactedValues {
            add("redacted", Quantity.counted(UInt64(values), "value was replaced", "values were replaced"))
        }
        if let capsule = description.capsule, capsule.manifest.overlay != nil {
            add(
                "overlay", capsule.overlay.map { summary(of: $0, bytes: description.bytes) } ?? "not readable by this release"
            )
        }
        for (number, overlay) in (description.capsule?.manifest.overlays ?? []).enumerated() {
            rows.append((number == 0 ? "overlays" : "", name(Array(summary(of: overlay).utf8))))
        }
        if !description.omitted.isEmpty {
            add(
                "left out or altered",
                Quantity.counted(UInt64(description.omitted.count), "path", "paths") + " (a directory counts once)")
        }
        for omission in description.omitted {
            rows.append(("", name(omission.shownPath) + text(": ") + name(Array(omission.reason.utf8))))
        }

        let width = (rows.map(\.term.count).max() ?? 0) + 2
        var report: [UInt8] = []
        for row in rows {
            report += text(row.term.padded(to: width)) + Self.indented(row.value, by: width) + text("\n")
        }
        return report
    }

    /// Indents a value of several lines, such as a note, so that it stays in its column.
    private static func indented(_ value: [UInt8], by width: Int) -> [UInt8] {
        let lines = value.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Array(lines.joined(separator: [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: width)))
    }

    /// Returns the content of an overlay capsule: `12 records, 3 property lists by their values, 4,096 bytes carried`.
    private func summary(of overlay: Overlay, bytes: UInt64) -> String {
        let parts = [
            Quantity.counted(UInt64(overlay.files.count), "record", "records"),
            overlay.targets.isEmpty
                ? nil
                : Quantity.counted(UInt64(overlay.targets.count), "property list", "property lists")
                    + " by \(overlay.targets.count == 1 ? "its" : "their") values",
            Quantity.counted(bytes, "byte", "bytes") + " carried",
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// Returns the targets of an overlay in the manifest: `AppBundle:Info.plist, 3 steps`.
    private func summary(of document: PlistValue) -> String {
        guard let overlay = try? Overlay(document, format: .xml) else { return "not readable by this release" }
        let places = overlay.targets.map { target in
            let steps = Quantity.counted(UInt64(target.steps.count), "step", "steps")
            return "\(target.root == .appData ? "" : "\(target.root):")\(target.path ?? ""), \(steps)"
        }
        return ((overlay.name.map { ["\($0): "] } ?? []) + [places.joined(separator: "; ")]).joined()
    }

    private func source(of source: SourceDescription) -> String {
        let kind =
            switch source.kind {
            case .bundle: "a bundle (.xcappdata)"
            case .container: "a bare container"
            case .deviceHub: "a container downloaded by Device Hub"
            case .simulator: "a simulator's container"
            case .macData: "a Mac app's container"
            case .directory: "a plain directory"
            default: source.kind.rawValue
            }
        return source.archive.map { "\(kind), from \($0.string == "ipa" ? "an" : "a") \($0.string)" } ?? kind
    }

    func located(_ containers: [LocatedContainer], in devices: HostPath, printsPathOnly: Bool) -> [UInt8] {
        if printsPathOnly { return containers.flatMap { name($0.path.bytes) + text("\n") } }
        var report: [UInt8] = []
        let names = Self.width(containers.map { DetailText.shown($0.name ?? "-") })
        let identifiers = Self.width(containers.map { DetailText.shown($0.identifier) })
        var simulator: Simulator?
        for container in containers {
            if container.simulator != simulator {
                simulator = container.simulator
                report += text(styled(DetailText.shown(container.simulator.description), 1) + "\n")
            }
            let cells = [
                DetailText.shown(container.name ?? "-").padded(to: names),
                DetailText.shown(container.identifier).padded(to: identifiers), container.kind.rawValue.padded(to: 6),
            ]
            report += text("  " + cells.joined(separator: "  ") + "  ") + name(container.path.bytes) + text("\n")
        }
        return report
    }

    private static func width(_ cells: [String]) -> Int { cells.map(\.count).max() ?? 0 }
}
