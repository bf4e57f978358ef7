import CapsuleEngine

extension JSONReporter {
    /// How a command ended that was run between two versions.
    func ran(_ command: [[UInt8]], _ ran: CommandRecording.Execution) -> [UInt8] {
        var report = object("run")
        report.add("command", names: command)
        report.add("status", UInt64(ran.status))
        report.add("milliseconds", UInt64(ran.milliseconds))
        return report.closed + [Self.newline]
    }
}
