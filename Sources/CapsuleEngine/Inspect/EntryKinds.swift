import CapsuleContainers
import CapsuleCore
import CapsuleRules
import CapsuleSystem

/// The kinds of some entries of a container, and the classes of noise that `--drop` removes.
struct EntryKinds {
    let opened: OpenedContainer
    let numbers: [Int]

    /// Returns the class of noise of each entry, the first if there are several.
    func classes() throws(CapsuleError) -> [NoiseClass?] {
        var known: [(noise: NoiseClass, paths: ExcludedPaths)] = []
        for noise in NoiseRules().classesOfPaths {
            known.append((noise, ExcludedPaths(try DroppedNoise(noise).paths)))
        }
        var classes = [NoiseClass?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() where opened.entries[number].root != .wrapper {
            let entry = opened.entries[number]
            for index in known.indices
            where known[index].paths.excludes(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path) {
                classes[place] = classes[place] ?? known[index].noise
            }
        }
        return classes
    }

    /// Returns the kind of each entry, as its first bytes show it. A file in a cache is one of the cache, whatever it is. The log of a
    /// database is part of it.
    func kinds(_ classes: [NoiseClass?], jobs: Int) throws(CapsuleError) -> [FileKind] {
        let (opened, numbers) = (opened, numbers)
        var kinds = try ParallelMap.run(numbers.count, threads: jobs) { (place) throws(CapsuleError) -> FileKind in
            let entry = opened.entries[numbers[place]]
            if classes[place] == .caches { return .cache }
            guard entry.kind.hasContent, entry.size > 0 else { return .other }
            try CapsuleError.checkInterruption()
            let head = try opened.open(numbers[place]).uncompared.start(Int(min(entry.size, UInt64(ContentHead.byteCount))))
            return ContentFormats.kind(of: ContentHead(head, size: entry.size))
        }
        let isDatabase = Dictionary(uniqueKeysWithValues: zip(numbers, kinds.map { $0 == .database }))
        let members = Set(
            try PathSelection.companions(of: opened.entries.indices.map { isDatabase[$0] ?? false }, in: opened))
        for (place, number) in numbers.enumerated() where members.contains(number) && kinds[place] != .cache {
            kinds[place] = .database
        }
        return kinds
    }
}
