import CSystem

/// Memory that was freed and is still the process's.
package enum UnusedMemory {
    /// Gives it back to the system, where the C library does not by itself (malloc_trim(3)). Takes a millisecond for some
    /// megabytes: of use where much was freed that came in small pieces, and much is wanted in large ones.
    package static func giveBack() { capsule_trim_memory() }
}
