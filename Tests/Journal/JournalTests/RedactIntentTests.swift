import SystemPackage
import Testing

@testable import Journal

@Suite("Journal, the file that says an erasure was begun")
struct RedactIntentTests {
  private static func intent(_ storage: FaultyStorage) -> RedactionIntent {
    RedactionIntent(directory: TestJournal.directory, storage: storage)
  }

  @Test("is written, read, written anew and removed", arguments: [0, 1, 5000])
  func roundTrip(count: Int) throws {
    let storage = FaultyStorage()
    let intent = Self.intent(storage)
    #expect(try intent.read() == nil)
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try intent.write(content)
    #expect(try intent.read() == content)
    try intent.write([7])
    #expect(try intent.read() == [7])
    try intent.remove()
    #expect(try intent.read() == nil)
    try intent.remove()
    #expect(storage.files.isEmpty)
  }

  @Test("every flipped bit and every cut is noticed")
  func damaged() throws {
    let storage = FaultyStorage()
    try Self.intent(storage).write(Array("customer 4711".utf8))
    let bytes = try #require(storage.files["redaction.intent"])
    let error = JournalError.redactionIntentDamaged(TestJournal.directory.appending("redaction.intent"))
    for offset in bytes.indices {
      storage.update("redaction.intent") { $0[offset] ^= 4 }
      #expect(throws: error) { try Self.intent(storage).read() }
      storage.update("redaction.intent") { $0 = Array(bytes[..<offset]) }
      #expect(throws: error) { try Self.intent(storage).read() }
      storage.update("redaction.intent") { $0 = bytes }
    }
    #expect(error.description.contains("erase once more"))
  }

  @Test("a failure at any call leaves the old one or the new one", arguments: 0..<6)
  func failures(call: Int) throws {
    let storage = FaultyStorage()
    try Self.intent(storage).write([1, 2, 3])
    storage.set { $0.failCallAfter = call }
    try? Self.intent(storage).write([4, 5, 6, 7])
    let found = try Self.intent(storage.crashed()).read()
    #expect(found == [1, 2, 3] || found == [4, 5, 6, 7])
  }
}
