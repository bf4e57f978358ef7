/// Holds the steps of a place against those of a pattern, of which some stand for any number of steps.
enum DeepMatching {
    /// Whether all steps of a place fit, in time linear in both.
    @inline(__always)
    static func matches<Step, Word>(
        _ steps: [Step], _ place: [Word], isDeep: (Step) -> Bool, fits: (Step, Word) -> Bool
    ) -> Bool {
        var (step, at) = (0, 0)
        // Where to go on from when what follows the last deep step does not fit.
        var retry: (step: Int, at: Int)?
        while at < place.count {
            if step < steps.count, isDeep(steps[step]) {
                retry = (step + 1, at)
                step += 1
            } else if step < steps.count, fits(steps[step], place[at]) {
                step += 1
                at += 1
            } else if let (from, tried) = retry {
                retry = (from, tried + 1)
                (step, at) = (from, tried + 1)
            } else {
                return false
            }
        }
        while step < steps.count, isDeep(steps[step]) { step += 1 }
        return step == steps.count
    }
}
