import CapsuleCore
import CapsulePropertyList
import CapsuleSQLite

/// Looks into a file that one side alone has: guards and rules of the class `signal` ask for what is in it, and reports don't.
struct OneSidedContent {
    let side: ComparedSide
    /// The file's place among the side's entries.
    let place: Int
    let isNew: Bool
    let options: ComparisonOptions

    /// What the judge makes of it.
    func look(_ judge: EntryJudge) throws(CapsuleError) -> UnshownChanges {
        var judge = judge.ofInside()
        do throws(HandlerFailure) {
            if side.isDatabase(place) { return try rows(judge) }
            do throws(CapsuleError) {
                if let failure = side.failures[place] { throw failure }
                let content = ComparedContent(try side.open(place), size: side.tree.entries[place].size)
                let kind = ContentKind.candidates(try content.head(), size: content.size).first
                guard let kind, kind == .plist || kind == .json else { return judge.unshown }
                judge.take(.value(try document(content, kind)))
            } catch {
                throw HandlerFailure(error, own)
            }
        } catch {
            judge.takeUnread(try fallback(error))
        }
        return judge.unshown
    }

    private var own: HandlerFallback.Side { isNew ? .b : .a }

    /// The whole document, as what one side alone has.
    private func document(_ content: ComparedContent, _ kind: ContentKind) throws(CapsuleError) -> PlistChange {
        guard let bytes = try content.all() else {
            throw CapsuleError("is larger than \(ComparedContent.longest >> 20) MiB")
        }
        do throws(PlistError) {
            let value = kind == .json ? try JSONContent.read(bytes) : try PlistReader.readLeniently(bytes).value
            let change = PlistChange(isNew ? .added(value) : .deleted(value), at: PlistPointer(steps: []))
            return options.showsSecrets ? change : SecretData.hiding(in: change)
        } catch {
            throw CapsuleError(error.message)
        }
    }

    /// The schema and the rows, beside a database that has none.
    private func rows(_ judge: EntryJudge) throws(HandlerFailure) -> UnshownChanges {
        let unit = UnitReader(side.content, side.tree.entries, database: place)
        if let failure = unit.places.lazy.compactMap({ side.failures[$0] }).first { throw .stopped(failure) }
        let found: DatabaseDifference
        do throws(DatabaseError) {
            let empty = try DatabaseCopy().open()
            let own = try unit.copy().open()
            var wanted = DifferenceOptions(rows: 0, showsSecrets: options.showsSecrets)
            wanted.detailBytes = 0
            wanted.work = WorkLimits(time: options.databaseTime)
            found = try DatabaseDifference(isNew ? empty : own, isNew ? own : empty, options: wanted, judge: judge)
        } catch {
            throw DatabaseUnits.failure(error, own)
        }
        if let damage = found.damage.first { throw .unfit(own, reason: damage.message) }
        if let limit = found.details.lazy.compactMap(\.gap).first { throw .unfit(own, reason: limit.reason) }
        return found.unshown
    }

    private func fallback(_ failure: HandlerFailure) throws(CapsuleError) -> HandlerFallback {
        switch failure {
        case .stopped(let error):
            if error.code == .interrupted { throw error }
            return HandlerFallback(
                side: own, from: HandlerFallback.content, to: HandlerFallback.nothing, reason: "can't be read: \(error.message)")
        case .unfit(let side, let reason):
            let from = self.side.isDatabase(place) ? "sqlite" : "plist"
            return HandlerFallback(side: side, from: from, to: HandlerFallback.nothing, reason: reason)
        }
    }
}

extension ChangeDetail {
    /// The limit that ended the comparison.
    fileprivate var gap: DetailLimit? {
        guard isGap, case .limit(let limit) = content else { return nil }
        return limit
    }
}
