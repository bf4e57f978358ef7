// A digest is part of most of the core's types, so that whoever imports these needs it, too.
@_exported public import CapsuleHashing
