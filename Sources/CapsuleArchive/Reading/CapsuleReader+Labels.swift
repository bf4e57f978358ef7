package import CapsuleCore
package import CapsulePropertyList

/// A record that gives a label to a version, or takes a label away (docs/format.md, section 6).
package struct LabelRecord: Hashable, Sendable {
    package let label: VersionLabel
    /// The number of the version that has the label from now on, or nil if none has.
    package let version: UInt32?

    package init(_ label: VersionLabel, version: UInt32?) {
        self.label = label
        self.version = version
    }

    package var propertyList: PlistValue {
        var list: PlistDictionary = [
            "FormatVersion": .integer(PlistInteger(UInt64(Footer.major))), "Label": .string(PlistString(label.text)),
        ]
        list["Version"] = version.map { .integer(PlistInteger(UInt64($0))) }
        return .dictionary(list)
    }

    /// - Returns: nil for anything that is not a label record.
    init?(_ list: PlistValue) {
        guard let list = list.dictionary, let label = list["Label"]?.string.flatMap({ VersionLabel($0.string) }) else {
            return nil
        }
        self.label = label
        guard let number = list["Version"] else {
            version = nil
            return
        }
        guard let number = number.integer?.int64.flatMap({ UInt32(exactly: $0) }), number > 0 else { return nil }
        version = number
    }
}

extension CapsuleReader {
    /// Reads the label record that a footer ends. A damaged one may have moved any label that was given before it.
    package func label(of footer: Footer) throws(CapsuleError) -> LabelRecord {
        do throws(CapsuleError) {
            let document = try manifestDocument(of: footer)
            let list = try? PlistReader.read(document, accepting: PlistFormat.xmlOrBinary)
            if let record = list.flatMap({ LabelRecord($0.value) }) { return record }
        } catch {
            guard error.code == .damaged else { throw error }
        }
        throw CapsuleError(
            .damaged,
            "the label record at byte \(footer.segmentStart) is damaged, so the labels that were given before it are unknown",
            path: file.path, hint: labelHint)
    }

    /// The hint for a damaged label record. The file is not replaced, since it is all that is left of the record.
    package var labelHint: String {
        "'capsule compact \(file.path.shellWord) -o NEW' writes all versions, and the labels that are known, to a new file"
    }

    /// Reads all label records.
    /// - Throws: the error of the last one in the file that is damaged.
    package func checkLabelRecords() throws(CapsuleError) {
        for footer in readableChain().footers where footer.isLabel { _ = try label(of: footer) }
    }

    /// Returns the version that a label names: of all manifests and label records that have the label, the last one in the file counts.
    /// - Throws: ``CapsuleError``, also if a manifest that may have the label can't be read.
    package func version(labelled label: VersionLabel) throws(CapsuleError) -> UInt32? {
        let (chain, failure) = readableChain()
        let version = try version(labelled: label, among: chain)
        if version == nil, let failure { throw failure }
        return version
    }

    /// - Parameter chain: the footers of versions and label records, newest first.
    func version(labelled label: VersionLabel, among chain: [Footer]) throws(CapsuleError) -> UInt32? {
        let text = Array(label.text.utf8)
        for footer in chain {
            if footer.isLabel {
                let record = try self.label(of: footer)
                if record.label == label { return record.version }
                continue
            }
            // Nearly all manifests can't have the label, and no parser is needed to see that.
            guard try manifestDocument(of: footer).mayContain(text) else { continue }
            if try manifest(of: footer).label == label { return footer.version }
        }
        return nil
    }

    /// Returns all labels and the versions that they name, the one that was given last first. A label of a version that is not in the
    /// file is left out.
    package func labels() throws(CapsuleError) -> [(label: VersionLabel, version: UInt32)] {
        let (labels, failure) = readableLabels()
        if let failure { throw failure }
        return labels
    }

    /// Returns the labels that are known, and the first error if some are not: those given before a damaged label record are not.
    package func readableLabels() -> (labels: [(label: VersionLabel, version: UInt32)], failure: CapsuleError?) {
        var (footers, failure) = readableChain()
        let versions = Set(footers.lazy.filter { !$0.isLabel }.map(\.version))
        var seen: Set<VersionLabel> = []
        var labels: [(label: VersionLabel, version: UInt32)] = []
        for footer in footers {
            let record: LabelRecord?
            do throws(CapsuleError) {
                record =
                    footer.isLabel
                    ? try label(of: footer) : try manifest(of: footer).label.map { LabelRecord($0, version: footer.version) }
            } catch {
                failure = failure ?? error
                if footer.isLabel { break }
                continue
            }
            guard let record, seen.insert(record.label).inserted, let version = record.version, versions.contains(version) else {
                continue
            }
            labels.append((record.label, version))
        }
        return (labels, failure)
    }
}

extension [UInt8] {
    /// Returns true if an XML document with these bytes may contain the text, and also if only a parser could decide.
    fileprivate func mayContain(_ text: [UInt8]) -> Bool {
        guard starts(with: Array("<?xml".utf8)), let first = text.first else { return true }
        return withUnsafeBytes { bytes in
            for place in bytes.indices {
                // A character may be written as a reference.
                if bytes[place] == UInt8(ascii: "&"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "#") {
                    return true
                }
                if bytes[place] == first, bytes[place...].starts(with: text) { return true }
            }
            return false
        }
    }
}
