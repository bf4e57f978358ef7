/// The object graph that NSKeyedArchiver writes as a property list.
///
/// Objects are known by number, and `.uid` in what they hold refers to them; the first one stands for nil. The numbers have
/// no meaning: two archives of the same objects may number them differently. (Apple, Archives and Serializations Guide)
public struct KeyedArchive: Sendable {
    /// What was archived, by the key that it was encoded for, usually `root`. UIDs refer to ``objects``.
    public let top: PlistDictionary
    /// All objects by UID, those that describe classes too.
    public let objects: [ArchivedObject]

    /// Whether the value looks like a keyed archive: a dictionary with `$archiver`, `$objects` and `$top`.
    public static func isArchive(_ value: PlistValue) -> Bool {
        parts(of: value) != nil
    }

    /// The archive in a property list. Every class and every UID in it has been found to be there.
    ///
    /// Throws `unsupported` if the value is no keyed archive, and `damaged`, with the pointer, for a UID of an object that
    /// there is not, or a class that is none.
    public init(_ value: PlistValue) throws(PlistError) {
        guard let (top, objects) = Self.parts(of: value) else {
            throw PlistError(.unsupported, "not a keyed archive", pointer: "")
        }
        try ArchiveReferences.check(value, objects: objects.count)
        var classes = ArchivedClasses(objects)
        var archived: [ArchivedObject] = []
        archived.reserveCapacity(objects.count)
        for number in objects.indices { archived.append(try classes.object(number)) }
        self.top = top
        self.objects = archived
    }

    private static func parts(of value: PlistValue) -> (top: PlistDictionary, objects: [PlistValue])? {
        guard let dictionary = value.dictionary, dictionary["$archiver"]?.string != nil,
            let objects = dictionary["$objects"]?.array, let top = dictionary["$top"]?.dictionary
        else { return nil }
        return (top, objects)
    }

    /// Whether both archives hold the same graph, however their objects are numbered.
    ///
    /// It is the trees of ``resolved(limits:)`` that are compared, so a set whose elements contain each other is compared in
    /// the archives' order. Throws `limitExceeded` as that does.
    public static func areEquivalent(
        _ left: KeyedArchive, _ right: KeyedArchive, limits: PlistLimits = .standard
    ) throws(PlistError) -> Bool {
        try left.resolved(limits: limits) == right.resolved(limits: limits)
    }

    /// Whether two archives differ in nothing but the numbers of their objects: all that one holds the other holds too, what is
    /// shared is shared in both, and nothing else stands beside it. False where one of them is none.
    public static func areRenumbered(_ left: PlistDictionary, _ right: PlistDictionary) -> Bool {
        ArchiveRenumbering.areAlike(left, right)
    }

    /// The graph as a tree: a dictionary of what was archived, with every UID replaced by its object.
    ///
    /// - Arrays, dictionaries with strings for keys, strings, numbers, dates and data are what they are, mutable or not;
    ///   nil is null.
    /// - Any other object is a dictionary of its fields, with its class under `$class`. Sets and ordered sets have their
    ///   elements under `$objects`, dictionaries with other keys have `key` and `value` of each entry under `$entries`, URLs
    ///   and UUIDs have their text under `$value`. Keys that begin with `$` themselves get another one.
    /// - An object that contains itself, directly or not, is `{"$ref": POINTER}` where it comes again, and so is any other
    ///   object of such a circle that has its place elsewhere. The pointer is relative: how many containers up from here, and
    ///   then the way down. (Relative JSON Pointer)
    /// - Other objects are in all their places, and share their storage.
    ///
    /// Fields, keys and, as far as possible, the elements of sets are in an order of their own, so that neither the numbers
    /// nor the archiver's hash tables show. Throws `limitExceeded` where the graph is deeper than a value may be, or repeats
    /// itself too much.
    public func resolved(limits: PlistLimits = .standard) throws(PlistError) -> PlistValue {
        try ArchiveResolver(self, limits: limits).resolve()
    }
}
