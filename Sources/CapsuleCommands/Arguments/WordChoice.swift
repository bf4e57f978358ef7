/// A closed list of words that a flag or a positional takes; the raw values are what is typed.
protocol WordChoice: Sendable, CaseIterable, RawRepresentable<String> where AllCases: Sendable {}
