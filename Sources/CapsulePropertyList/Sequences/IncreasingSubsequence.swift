/// The longest run of numbers, with others between them, that only grow.
package enum IncreasingSubsequence {
    /// The places of one in a sequence of numbers that are all different.
    package static func longest(of numbers: [Int]) -> [Int] {
        // For each length the place of the smallest number that such a run ends with.
        var ends: [Int] = []
        var before: [Int?] = Array(repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before[place] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var places: [Int] = []
        var next = ends.last
        while let place = next {
            places.append(place)
            next = before[place]
        }
        return places.reversed()
    }
}
