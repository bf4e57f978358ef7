/// A system call that changes something on disk, or takes a lock; told before it is made, so that a test can let it fail.
enum DiskChange {
    case create(directory: Int32, name: UnsafePointer<CChar>)
    case write(Int32, UnsafeRawBufferPointer, offset: UInt64)
    /// Of a file or of a directory.
    case sync(Int32)
    case truncate(Int32, length: UInt64)
    case rename(Int32, UnsafePointer<CChar>, to: Int32, UnsafePointer<CChar>)
    case swap(Int32, UnsafePointer<CChar>, with: UnsafePointer<CChar>)
    case link(Int32, UnsafePointer<CChar>, to: Int32, UnsafePointer<CChar>)
    case remove(directory: Int32, name: UnsafePointer<CChar>)
    case makeDirectory(directory: Int32, name: UnsafePointer<CChar>)
    case makeLink(directory: Int32, name: UnsafePointer<CChar>)
    case setMode(Int32)
    case setTimes(Int32)
    case setAttribute(Int32)
    case lock(Int32)
}
