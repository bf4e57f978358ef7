/// Numbers of the format that are no limits.
package enum CapsuleFormat {
    /// Behind the first version's tar stream stands a data member of so many zeros: more than any stock tool decodes ahead.
    package static let zeroMemberLength = 262_144
}
