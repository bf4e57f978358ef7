// The only import of the platform's C library. What imports this module sees it too, and needs no conditional import of its own.
@_exported public import CSystem

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif
