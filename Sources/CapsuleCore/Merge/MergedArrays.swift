import CapsulePropertyList

/// The arrays that the base and both sides have in one place; empty where there is none.
struct MergedArrays {
    let base: [PlistValue]
    let ours: [PlistValue]
    let theirs: [PlistValue]

    /// The number of all their elements.
    var count: Int { base.count + ours.count + theirs.count }

    /// The elements at one member's places.
    func sides(_ places: ArrayMembers.Places) -> MergeSides {
        MergeSides(places.base.map { base[$0] }, places.ours.map { ours[$0] }, places.theirs.map { theirs[$0] })
    }
}
