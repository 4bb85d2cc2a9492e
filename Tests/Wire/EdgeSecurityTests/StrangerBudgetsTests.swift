import NetworkAddress
import Synchronization
import Testing

@testable import EdgeSecurity

@Suite("Budgets of strangers")
struct StrangerBudgetsTests {
  private final class Clock: Sendable {
    private let now = Mutex<Int64>(0)
    func advance(seconds: Int64) { now.withLock { $0 += seconds * 1_000_000_000 } }
    var read: @Sendable () -> Int64 { { self.now.withLock { $0 } } }
  }

  private let clock = Clock()

  private func budgets(_ change: (inout BudgetSettings) -> Void = { _ in }) -> StrangerBudgets {
    var settings = BudgetSettings()
    settings.addressPerMinute[.chats] = 60
    settings.userPerMinute[.chats] = 2
    change(&settings)
    return StrangerBudgets(settings, nanoseconds: clock.read)
  }

  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test("an address has its budget, and another one has its own")
  func addresses() throws {
    let budgets = budgets()
    for _ in 0..<60 { #expect(budgets.take(.chats, from: try address("192.0.2.1")) == nil) }
    let refusal = budgets.take(.chats, from: try address("192.0.2.1"))
    #expect(refusal == StrangerBudgets.Refusal(action: .chats, holder: .address, retryAfterSeconds: 1))
    #expect(refusal?.name == "budget_chats_address")
    #expect(budgets.take(.chats, from: try address("192.0.2.2")) == nil)
    #expect(budgets.take(.uploads, from: try address("192.0.2.1")) == nil)
    clock.advance(seconds: 1)
    #expect(budgets.take(.chats, from: try address("::ffff:192.0.2.1")) == nil)
    #expect(budgets.take(.chats, from: try address("192.0.2.1")) != nil)
  }

  @Test("addresses of one IPv6 network are one")
  func networks() throws {
    let budgets = budgets { $0.addressPerMinute[.chats] = 1 }
    #expect(budgets.take(.chats, from: try address("2001:db8::1")) == nil)
    #expect(budgets.take(.chats, from: try address("2001:db8::ffff:2")) != nil)
    #expect(budgets.take(.chats, from: try address("2001:db8:0:1::1")) == nil)
  }

  @Test("a user has a budget wherever they are, and so has a credential")
  func callers() throws {
    let budgets = budgets()
    let (ann, token) = (StrangerBudgets.Caller(user: "ann"), StrangerBudgets.Caller(credential: "ann"))
    #expect(budgets.take(.chats, from: try address("192.0.2.1"), by: [ann]) == nil)
    #expect(budgets.take(.chats, from: try address("192.0.2.2"), by: [ann]) == nil)
    #expect(budgets.take(.chats, from: try address("192.0.2.3"), by: [ann])?.holder == .user)
    #expect(budgets.take(.chats, from: nil, by: [ann])?.retryAfterSeconds == 30)
    for _ in 0..<2 { #expect(budgets.take(.chats, from: try address("192.0.2.4"), by: [token]) == nil) }
    #expect(budgets.take(.chats, from: try address("192.0.2.4"), by: [token])?.holder == .credential)
    #expect(budgets.take(.chats, from: try address("192.0.2.4"), by: [StrangerBudgets.Caller(user: "bob")]) == nil)
  }

  @Test("loopback speaks for many, and what is 0 has no bound")
  func exemptions() throws {
    let budgets = budgets { $0.addressPerMinute[.uploads] = 0 }
    for _ in 0..<1_000 {
      for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        #expect(budgets.take(.chats, from: try address(text), by: [StrangerBudgets.Caller(user: "a")]) == nil)
        #expect(budgets.connected(from: try address(text)))
      }
      #expect(budgets.take(.uploads, from: try address("192.0.2.1")) == nil)
    }
  }

  @Test("whoever has shown too many wrong tokens need not be looked at")
  func guessing() throws {
    let budgets = budgets { $0.addressPerMinute[.wrongTokens] = 2 }
    let address = try address("192.0.2.1")
    #expect(budgets.hasGuessedTooOften(address) == nil)
    for _ in 0..<2 { #expect(budgets.take(.wrongTokens, from: address) == nil) }
    #expect(budgets.hasGuessedTooOften(address)?.retryAfterSeconds == 30)
    #expect(budgets.take(.wrongTokens, from: address) != nil)
    clock.advance(seconds: 30)
    #expect(budgets.hasGuessedTooOften(address) == nil)
  }

  @Test("an address has so many connections at once, and gets back each that it closes")
  func connections() throws {
    let budgets = budgets { $0.connectionsByAddressMaximum = 2 }
    let address = try address("192.0.2.1")
    for _ in 0..<3 {
      #expect(budgets.connected(from: address))
      #expect(budgets.connected(from: address))
      #expect(!budgets.connected(from: address))
      #expect(budgets.connected(from: try self.address("192.0.2.2")))
      for text in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] { budgets.disconnected(from: try self.address(text)) }
    }
  }
}
