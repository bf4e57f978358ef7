import CapsuleCommands

#if canImport(Glibc)
    import Glibc
#endif

exit(CapsuleProgram.run())
