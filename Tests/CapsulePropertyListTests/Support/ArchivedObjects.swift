import CapsulePropertyList
import Foundation

/// An object with a friend, who may refer back to it.
final class ArchivedPerson: NSObject, NSCoding {
    let name: String
    var friend: ArchivedPerson?
    var things: [NSObject] = []

    init(_ name: String) {
        self.name = name
    }

    init?(coder: NSCoder) {
        name = coder.decodeObject(forKey: "name") as? String ?? ""
        friend = coder.decodeObject(forKey: "friend") as? ArchivedPerson
    }

    func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(friend, forKey: "friend")
        coder.encode(NSArray(array: things), forKey: "things")
        coder.encode(NSSet(array: [NSString("y"), NSString("x"), NSNumber(value: 2)]), forKey: "tags")
        coder.encode(1.5, forKey: "$odd")
        coder.encode(true, forKey: "flag")
        coder.encode(NSString("unkeyed"))
        coder.encode(Data([1, 2, 3]) as NSData, forKey: "data")
    }

    /// The name of the class in an archive.
    static var archivedName: PlistString { PlistString(NSStringFromClass(ArchivedPerson.self)) }
}

/// Returns the archive that NSKeyedArchiver writes for an object, with the key `root`.
func foundationArchive(
    _ object: NSObject, _ format: PropertyListSerialization.PropertyListFormat = .binary
) -> [UInt8] {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.outputFormat = format
    archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return [UInt8](archiver.encodedData)
}
