import Testing

/// The real server, its process, its port and its files, seen from outside.
///
/// One test at a time: each brings a server of its own, and some of them measure time.
@Suite("The server from outside", .serialized)
enum ServerFromOutside {}
