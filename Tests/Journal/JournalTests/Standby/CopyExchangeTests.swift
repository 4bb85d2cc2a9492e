import Synchronization
import SystemPackage
import Testing

@testable import Journal

@Suite("A new copy that takes the place of an old one")
struct CopyExchangeTests {
  private static let directory = TestJournal.directory

  /// An old copy in its place, and a new one that is whole.
  private static func start() throws -> FaultyStorage {
    let storage = FaultyStorage()
    for name in ["000000000001.segment", "000000000002.packed", "redaction.intent"] { storage.put([1], name) }
    storage.put([1], "archive/000000000001.packed")
    storage.put([1], "snapshots/00000000000000000007.snapshot")
    for name in ["LOCK", "EPOCH"] { storage.put([3], name) }
    for name in ["000000000002.packed", "000000000009.segment", "000000000010.segment"] {
      storage.put([2], "copy/\(name)")
    }
    storage.put([2], "copy/archive/000000000008.packed")
    storage.put([2], "copy/snapshots/00000000000000000090.snapshot")
    return storage
  }

  private static let inPlace = [
    "000000000002.packed", "000000000009.segment", "000000000010.segment", "archive/000000000008.packed",
    "snapshots/00000000000000000090.snapshot",
  ]
  private static let aside = [
    "000000000001.segment", "000000000002.packed", "redaction.intent", "archive/000000000001.packed",
    "snapshots/00000000000000000007.snapshot",
  ]

  private static func check(_ storage: FaultyStorage, _ comment: Comment = "") {
    let expected =
      inPlace.map { ($0, [UInt8(2)]) } + aside.map { ("aside-17/\($0)", [1]) } + [("LOCK", [3]), ("EPOCH", [3])]
    #expect(storage.files == Dictionary(uniqueKeysWithValues: expected), comment)
  }

  @Test("is in its place, and the old one is set aside")
  func exchange() throws {
    let storage = try Self.start()
    let exchange = CopyExchange(directory: Self.directory, storage: storage)
    #expect(try !exchange.hasBegun())
    #expect(try exchange.finish() == nil)
    try exchange.begin(at: 17)
    #expect(try exchange.hasBegun())
    #expect(try exchange.finish() == Self.directory.appending("aside-17"))
    #expect(try !exchange.hasBegun())
    Self.check(storage)
  }

  @Test("whatever call fails on the way, it is carried out to its end by the next start")
  func failingCalls() throws {
    let whole = try Self.start()
    let exchange = CopyExchange(directory: Self.directory, storage: whole)
    try exchange.begin(at: 17)
    let before = whole.state.withLock { $0.faults.callCount }
    _ = try exchange.finish()
    let callCount = whole.state.withLock { $0.faults.callCount } - before
    #expect(callCount > 40)
    for call in 0..<callCount {
      let storage = try Self.start()
      let failing = CopyExchange(directory: Self.directory, storage: storage)
      try failing.begin(at: 17)
      storage.set { $0.failCallAfter = call }
      #expect(throws: (any Error).self) { try failing.finish() }
      let left = storage.crashed()
      let next = CopyExchange(directory: Self.directory, storage: left)
      _ = try next.finish()
      Self.check(left, "call \(call)")
    }
  }

  @Test("takes an empty directory without setting anything aside")
  func first() throws {
    let storage = FaultyStorage()
    storage.put([2], "copy/000000000001.segment")
    let exchange = CopyExchange(directory: Self.directory, storage: storage)
    try exchange.begin(at: 17)
    #expect(try exchange.finish() == nil)
    #expect(storage.files.keys.sorted() == ["000000000001.segment"])
  }

  @Test("is thrown away if it is not whole, and kept if it is")
  func discard() throws {
    let storage = try Self.start()
    let exchange = CopyExchange(directory: Self.directory, storage: storage)
    try exchange.begin(at: 17)
    try exchange.discard()
    #expect(storage.files["copy/000000000009.segment"] != nil)
    let half = try Self.start()
    try CopyExchange(directory: Self.directory, storage: half).discard()
    #expect(half.files.keys.allSatisfy { !$0.hasPrefix("copy/") })
    #expect(half.files["000000000001.segment"] == [1])
  }
}
