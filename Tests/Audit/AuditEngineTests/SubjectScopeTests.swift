import ChatDomain
import EventSourcing
import PushDomain
import Testing

@testable import Engine

@Suite("Subject scope")
struct SubjectScopeTests {
  /// Mia has two chats, two Comet sessions and a push; Otto one of each, on the same queue.
  private static func journal() throws -> AuditRecords {
    let records = try AuditRecords()
    // 1: before anybody knows whose it is.
    records.comet("mia-early", .opened(userKey: "user-mia", serviceID: nil, acknowledges: false, browserID: nil))
    // 2, 3
    records.chat("1-mia", AuditRecords.created([NameValuePair("email", "mia@example.org")]))
    records.chat("1-mia", AuditRecords.start("session-mia", user: "user-mia", nickname: "Mia", device: "device-77"))
    // 4, 5
    records.chat("1-otto", AuditRecords.created())
    records.chat("1-otto", AuditRecords.start("session-otto", user: "user-otto", nickname: "Otto", device: "device-77"))
    // 6, 7: bound to nothing but the chat that it listens to.
    records.comet("mia-late", .opened(userKey: nil, serviceID: nil, acknowledges: false, browserID: nil))
    records.chat("1-mia", .cometSubscribed(session: "mia-late", activeAfter: 1))
    // 8, 9
    records.push("queue", .enqueued(AuditRecords.message(of: "1-mia", 1, device: "device-77")))
    records.push("queue", .enqueued(AuditRecords.message(of: "1-otto", 1, device: "device-77")))
    // 10, 11
    records.push("queue", .settled(PushID(producer: "1-mia", number: 1), .delivered, attempts: 1))
    records.push("queue", .unregistered(reason: "gone"))
    // 12
    records.chat("1-mia-again", AuditRecords.start("session-mia-2", user: "user-mia", nickname: "Mia"))
    // 13: nobody's.
    records.chat("1-anna", AuditRecords.start("session-anna", user: nil, nickname: "Anna"))
    try records.run()
    return records
  }

  private static let mia: [UInt64] = [1, 2, 3, 6, 7, 8, 10, 12]

  @Test(
    "any name of a customer finds all that is theirs",
    arguments: ["user-mia", "1-mia", "session-mia", "session-mia-2", "1-mia-again", "mia@example.org", "mia-early"])
  func names(subject: String) throws {
    let (scope, positions) = try Self.journal().positions(of: subject)
    #expect(positions == Self.mia)
    #expect(scope.keys(of: .chatSession) == ["1-mia", "1-mia-again"])
    #expect(scope.userKeys.contains("user-mia"))
    #expect(
      scope.entities
        == Set([
          EntityID(.chatSession, "1-mia"), EntityID(.chatSession, "1-mia-again"), EntityID(.cometSession, "mia-early"),
          EntityID(.cometSession, "mia-late"), EntityID(.pushQueue, "queue"),
        ]))
  }

  @Test("a device that two customers had finds both, since both were pushed to there")
  func device() throws {
    let (scope, positions) = try Self.journal().positions(of: "device-77")
    #expect(scope.keys(of: .chatSession) == ["1-mia", "1-mia-again", "1-otto"])
    #expect(positions == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  }

  @Test("a chat without a user key is found alone")
  func alone() throws { #expect(try Self.journal().positions(of: "session-anna").positions == [13]) }

  @Test("who listens to a customer's chat with a user key of their own is not taken for the customer")
  func listener() throws {
    let records = try AuditRecords()
    records.chat("1-mia", AuditRecords.start("session-mia", user: "user-mia", nickname: "Mia"))
    records.comet("otto", .opened(userKey: "user-otto", serviceID: nil, acknowledges: false, browserID: nil))
    records.chat("1-mia", .cometSubscribed(session: "otto", activeAfter: 1))
    records.chat("1-otto", AuditRecords.start("session-otto", user: "user-otto", nickname: "Otto"))
    try records.run()
    #expect(try records.positions(of: "user-mia").scope.keys(of: .chatSession) == ["1-mia"])
    #expect(try records.positions(of: "user-otto").scope.keys(of: .chatSession) == ["1-otto"])
  }

  @Test("nobody's name finds nothing", arguments: ["", "nobody", "user", "Mia", "customhttp", "gone"])
  func nobody(subject: String) throws {
    let (scope, positions) = try Self.journal().positions(of: subject)
    #expect(positions.isEmpty)
    #expect(scope.entities.isEmpty)
    #expect(scope.userKeys.isEmpty)
  }

  @Test("an entity's scope has its records, and of a chat what became of its pushes")
  func entity() throws {
    let records = try Self.journal()
    func positions(_ id: EntityID) throws -> [UInt64] {
      let scope = EntityScope(id, in: .carillon)
      return try records.entries { scope.belongs($0) }.filter { $0.entity != nil }.map(\.position)
    }
    #expect(try positions(EntityID(.chatSession, "1-mia")) == [2, 3, 7, 8, 10])
    #expect(try positions(EntityID(.cometSession, "mia-late")) == [6])
  }
}
