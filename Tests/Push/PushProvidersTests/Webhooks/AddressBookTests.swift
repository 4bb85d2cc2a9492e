import NetworkAddress
import Testing

@testable import PushProviders

@Suite("Address book")
struct AddressBookTests {
  static func settings(_ change: (inout WebhookSettings) -> Void = { _ in }) -> WebhookSettings {
    var settings = WebhookSettings()
    // A machine that is busy with all tests at once is no name server that hangs.
    settings.lookUpTimeout = .seconds(120)
    change(&settings)
    return settings
  }

  static func book(_ names: StagedNames, _ change: (inout WebhookSettings) -> Void = { _ in })
    -> AddressBook
  {
    AddressBook(names, settings(change), now: { names.now })
  }

  @Test("many ask for one name: it is looked up once")
  func singleFlight() async throws {
    let names = StagedNames(["a.test": [["8.8.8.8"]]])
    names.hold()
    let book = Self.book(names)
    let tasks = (0..<10).map { _ in Task { try await book.addresses(of: "a.test") } }
    await names.waitUntilAsked(1)
    names.release()
    for task in tasks { #expect(try await task.value == [IPAddress("8.8.8.8")]) }
    #expect(names.asked == ["a.test"])
  }

  @Test("a look-up that hangs: told at the time-out, then at once, until it has ended")
  func hangs() async throws {
    let names = StagedNames(["a.test": [["8.8.8.8"]], "b.test": [["1.1.1.1"]]])
    names.hold()
    let book = Self.book(names) { $0.lookUpTimeout = .milliseconds(50) }
    for _ in 0..<2 {
      await #expect(throws: AddressBook.Failure.timedOut) { try await book.addresses(of: "a.test") }
    }
    #expect(names.asked == ["a.test"])
    names.release()
    #expect(try await book.addresses(of: "a.test") == [IPAddress("8.8.8.8")])
    #expect(try await book.addresses(of: "b.test") == [IPAddress("1.1.1.1")])
  }

  @Test("too many look-ups at once: the next one is told so")
  func busy() async throws {
    let names = StagedNames(["a.test": [["8.8.8.8"]], "b.test": [["8.8.8.8"]]])
    names.hold()
    let book = Self.book(names) { $0.lookUpsMaximum = 1 }
    let task = Task { try await book.addresses(of: "a.test") }
    await names.waitUntilAsked(1)
    await #expect(throws: AddressBook.Failure.busy) { try await book.addresses(of: "b.test") }
    names.release()
    _ = try await task.value
    #expect(try await book.addresses(of: "b.test").count == 1)
  }

  @Test("that there are none is remembered for some seconds")
  func notFound() async throws {
    let names = StagedNames(["a.test": [[], ["8.8.8.8"]]])
    let book = Self.book(names)
    for _ in 0..<3 {
      await #expect(throws: AddressBook.Failure.notFound) { try await book.addresses(of: "a.test") }
    }
    #expect(names.asked.count == 1)
    names.advance(by: .seconds(6))
    #expect(try await book.addresses(of: "a.test").count == 1)
  }

  @Test("a host with more addresses than are judged has none")
  func tooMany() async throws {
    let names = StagedNames(["a.test": [(1...64).map { "8.8.8.\($0)" }]])
    await #expect(throws: AddressBook.Failure.notFound) {
      try await Self.book(names).addresses(of: "a.test")
    }
  }

  @Test("names are forgotten, the oldest first, when there are too many")
  func bounded() async throws {
    let hosts = (0...AddressBook.hostsMaximum).map { "h\($0).test" }
    let names = StagedNames(Dictionary(uniqueKeysWithValues: hosts.map { ($0, [["8.8.8.8"]]) }))
    let book = Self.book(names)
    for host in hosts {
      _ = try await book.addresses(of: host)
      names.advance(by: .milliseconds(1))
    }
    _ = try await book.addresses(of: hosts[1])
    #expect(names.asked.count == hosts.count)
    _ = try await book.addresses(of: hosts[0])
    #expect(names.asked.count == hosts.count + 1)
  }

  @Test(
    "the system's resolver finds this machine, does not find what is not there, and finds nothing once shut down"
  )
  func system() async throws {
    let resolver = SystemNameResolver()
    let book = AddressBook(resolver, Self.settings())
    let found = try await book.addresses(of: "localhost")
    #expect(found.contains { $0.text == "127.0.0.1" || $0.text == "0:0:0:0:0:0:0:1" })
    book.shutdown()
    await #expect(throws: AddressBook.Failure.notFound) {
      try await book.addresses(of: "other.invalid")
    }
  }
}
