import ChatDomain
import EventSourcing
import Foundation
import PushDomain
import StorageDomain
import SupportDomain
import Testing

@testable import Engine

@Suite("Subject scope of support requests")
struct SupportSubjectTests {
  private static func comment(by author: Int64, _ role: SupportRole, file: String? = nil) -> SupportComment {
    let attachments = file.map { [SupportAttachment(token: $0, fileName: "a", contentType: "a/b", size: 1)] } ?? []
    return SupportComment(
      number: 1, author: author, role: role, isPublic: true, body: "Help", attachments: attachments, createdAt: .epoch)
  }

  private static func device(_ identifier: String) throws -> SupportUserEvent {
    try AuditRecords.registered([(identifier, .ios)])[0]
  }

  private static func message(of request: String, to user: String, type: String = "support") -> PushMessage {
    PushMessage(
      producer: "request/\(request)", number: 1, tag: "support.comment", alert: "", content: Array("{}".utf8),
      service: "demo", target: PushAddress(type: type, deviceID: user, provider: "demo"), owner: "support/\(user)")
  }

  private static func created(
    by user: Int64, file: String? = nil, chat: String? = nil, channel: SupportChannel = .mobileSDK
  ) -> SupportRequestEvent {
    let transcript = chat.map { SupportTranscript(serviceID: $0, chatID: "session-\($0)", position: 3) }
    return .created(
      SupportRequestTerms(requester: user, channel: channel, app: "demo", subject: "Help", transcript: transcript),
      comment(by: user, .endUser, file: file), tags: [], fields: [], duties: [])
  }

  private static func file(_ name: String) -> StorageEvent {
    .stored(
      [
        StoredPair(
          "file",
          .file(
            StoredFile(
              digest: Array(repeating: 1, count: 32), byteCount: 3, contentType: "a/b", name: name, isText: false)))
      ],
      name: nil, until: .epoch)
  }

  /// Mia (5) has two requests, a stream, pushes and a file; Otto (6) one of each; Kim (7) is an agent.
  private static func journal() throws -> AuditRecords {
    let records = try AuditRecords()
    func user(_ key: String, _ event: SupportUserEvent) { records.add(.supportUser, key, event) }
    func request(_ key: String, _ event: SupportRequestEvent) { records.add(.supportRequest, key, event) }
    // 1, 2, 3
    user(
      "5", .identified(SupportIdentity(key: .verified("external:c-42"), name: "Mia", email: "Mia@example.org")))
    user("6", .identified(SupportIdentity(key: .anonymous(app: "demo", guid: "guid-otto"), name: "Otto")))
    user("7", .identified(SupportIdentity(key: .agent("kim@example.org"), name: "Kim", email: "kim@example.org")))
    // 4, 5
    user("5", try device("abcd"))
    user("6", try device("ef01"))
    // 6, 7
    records.comet("stream-mia", .opened(userKey: "support/5", serviceID: nil, acknowledges: false, browserID: nil))
    records.comet("stream-otto", .opened(userKey: "support/6", serviceID: nil, acknowledges: false, browserID: nil))
    // 8, 9
    records.add(.stored, "F-mia", file("mia.png"))
    records.add(.stored, "F-otto", file("otto.png"))
    // 10, 11, 12
    request("1", created(by: 5, file: "F-mia"))
    request("2", created(by: 6, file: "F-otto"))
    request("3", created(by: 5))
    // 13, 14
    request("1", .commentAdded(comment(by: 7, .agent), noticeAt: nil, duties: []))
    request("2", .commentAdded(comment(by: 7, .agent), noticeAt: nil, duties: []))
    // 15, 16, 17, 18
    records.push("hook-mia", .enqueued(message(of: "1", to: "5")))
    records.push("hook-otto", .enqueued(message(of: "2", to: "6")))
    records.push("hook-mia", .settled(PushID(producer: "request/1", number: 1), .delivered, attempts: 1))
    records.push("hook-otto", .settled(PushID(producer: "request/2", number: 1), .delivered, attempts: 1))
    // 19: about an address that only Mia was told at.
    records.push("hook-mia", .unregistered(reason: "gone"))
    try records.run()
    return records
  }

  @Test(
    "any name of a user finds what is theirs: requests, pushes, streams and files",
    arguments: [
      "mia@example.org", "Mia@example.org", "c-42", "external:c-42", "abcd", "<AB cd>", "user:5", "support/5",
      "request:1", "request:3", "stream-mia",
    ])
  func names(subject: String) throws {
    let (scope, positions) = try Self.journal().positions(of: subject)
    #expect(positions == [1, 4, 6, 8, 10, 12, 13, 15, 17, 19])
    #expect(scope.userKeys.contains("support/5"))
    #expect(
      scope.entities
        == [
          EntityID(.supportUser, "5"), EntityID(.supportRequest, "1"), EntityID(.supportRequest, "3"),
          EntityID(.cometSession, "stream-mia"), EntityID(.stored, "F-mia"), EntityID(.pushQueue, "hook-mia"),
        ])
  }

  @Test("the id that the SDK made finds its user", arguments: ["guid-otto", "ef01", "user:6"])
  func anonymous(subject: String) throws {
    #expect(try Self.journal().positions(of: subject).positions == [2, 5, 7, 9, 11, 14, 16, 18])
  }

  @Test(
    "what is no user's name finds nobody: numbers, names, apps, agents",
    arguments: [
      "5", "1", "Mia", "Otto", "demo", "kim@example.org", "Kim", "user:8", "request:9", "support/", "external:",
    ])
  func nobody(subject: String) throws {
    let (scope, positions) = try Self.journal().positions(of: subject)
    #expect(positions.isEmpty && scope.entities.isEmpty && scope.userKeys.isEmpty)
  }

  @Test("what was erased before is found by what is left of it")
  func restated() throws {
    let records = try AuditRecords()
    var user = SupportUser()
    user.evolve(.identified(SupportIdentity(key: .verified("external:c-42"), email: "mia@example.org")), at: .epoch)
    user.evolve(try Self.device("abcd"), at: .epoch)
    var request = SupportRequest()
    request.evolve(Self.created(by: 5, file: "F-mia"), at: .epoch)
    records.add(.supportUser, "5", SupportUserEvent.erased(state: user.stateBytes))
    records.add(.supportRequest, "1", SupportRequestEvent.erased(state: request.stateBytes))
    records.add(.stored, "F-mia", Self.file("mia.png"))
    try records.run()
    for subject in ["mia@example.org", "c-42", "abcd"] {
      #expect(try records.positions(of: subject).positions == [1, 2, 3])
    }
  }

  /// A chat of user-mia's, from which an agent has made a request for `identity`, who has another one.
  private static func chat(of identity: SupportIdentity) throws -> AuditRecords {
    let records = try AuditRecords()
    records.add(.supportUser, "5", SupportUserEvent.identified(identity))
    records.chat("1-mia", AuditRecords.start("session-mia", user: "user-mia", nickname: "Mia"))
    records.chat("1-otto", AuditRecords.start("session-otto", user: "user-otto", nickname: "Otto"))
    records.add(.supportRequest, "1", Self.created(by: 5, chat: "1-mia", channel: .chat))
    records.add(.supportRequest, "2", Self.created(by: 5))
    records.add(.supportRequest, "3", Self.created(by: 6))
    try records.run()
    return records
  }

  @Test(
    "a chat that was turned into a request leads to it and to whom it was written for, and back",
    arguments: ["user-mia", "1-mia", "session-mia", "mia@example.org", "user:5", "request:1"])
  func chat(subject: String) throws {
    let contact = SupportIdentity(key: .contact("mia@example.org"), email: "mia@example.org")
    #expect(try Self.chat(of: contact).positions(of: subject).positions == [1, 2, 4, 5])
  }

  @Test("an e-mail that was given in a chat does not make its owner's other requests the chat's")
  func liar() throws {
    let vouched = SupportIdentity(key: .verified("external:c-42"), email: "mia@example.org")
    #expect(try Self.chat(of: vouched).positions(of: "user-mia").positions == [2, 4])
    #expect(try Self.chat(of: vouched).positions(of: "user:5").positions == [1, 2, 4, 5])
  }

  @Test("a request's scope has its records, and those of its pushes")
  func entity() throws {
    let scope = EntityScope(EntityID(.supportRequest, "1"), in: .carillon)
    let positions = try Self.journal().entries { scope.belongs($0) }.filter { $0.entity != nil }.map(\.position)
    // The first record tells of the request, and of its comment.
    #expect(positions == [10, 10, 13, 15, 17])
  }

  @Test("a plan of a version without support is still read, and one with it as well")
  func plans() throws {
    let old = try ErasureScope(json: #"{"chats":["1-mia"]}"#)
    #expect(old.keys(of: .chatSession) == ["1-mia"] && old.keys(of: .supportRequest).isEmpty && old.entityCount == 1)
    let (found, _) = try Self.journal().positions(of: "user:5")
    let scope = ErasureScope(found)
    #expect(scope.keys(of: .supportUser) == ["5"] && scope.keys(of: .supportRequest) == ["1", "3"])
    #expect(scope.keys(of: .stored) == ["F-mia"])
    #expect(scope.lists["producers"] == ["request/1", "request/3"])
    let written = String(decoding: try JSONEncoder().encode(scope.lists), as: UTF8.self)
    #expect(try ErasureScope(json: written) == scope)
  }
}
