import EventSourcing
import SupportDomain
import Testing

@testable import SupportEngine

@Suite("What is noted of support's sleeping users and requests")
struct FrozenNoteTests {
  @Test(
    "the bytes of a user are frozen",
    arguments: [
      (.anonymous(app: "a", guid: "g"), [0x0A, 0x08, 0x08, 0x01, 0x12, 0x01, 0x61, 0x1A, 0x01, 0x67]),
      (.verified("v"), [0x0A, 0x05, 0x08, 0x02, 0x12, 0x01, 0x76]),
      (.agent("a"), [0x0A, 0x05, 0x08, 0x03, 0x12, 0x01, 0x61]),
      (.contact("c"), [0x0A, 0x05, 0x08, 0x04, 0x12, 0x01, 0x63]),
    ] as [(SupportIdentity.Key, [UInt8])])
  func user(key: SupportIdentity.Key, bytes: [UInt8]) throws {
    var user = SupportUser()
    let device = SupportDevice(
      id: 3, identifier: "i", platform: .android, address: .airshipChannel, locale: "de", app: "m", createdAt: .epoch,
      updatedAt: Timestamp(milliseconds: 5))
    let events: [SupportUserEvent] = [
      .identified(SupportIdentity(key: key, name: "n", email: "e")),
      .tokenIssued(SupportAccessToken(digest: [1, 2], app: "m", issuedAt: .epoch), usedID: nil),
      .deviceRegistered(device),
    ]
    for event in events { user.evolve(event, at: .epoch) }
    let note = SupportUserNote(user)
    #expect(
      note.bytes == bytes
        + [0x12, 0x01, 0x6E, 0x1A, 0x01, 0x65, 0x22, 0x07, 0x0A, 0x02, 0x01, 0x02, 0x12, 0x01, 0x6D]
        + [0x2A, 0x0E, 0x08, 0x06, 0x12, 0x01, 0x69, 0x18, 0x02, 0x20, 0x02, 0x2A, 0x01, 0x6D, 0x30, 0x0A])
    #expect(try SupportUserNote(bytes: note.bytes) == note)
  }

  @Test("those of a request too")
  func request() throws {
    var request = SupportRequest()
    let terms = SupportRequestTerms(
      requester: 7, channel: .chat, app: "m", subject: "s",
      transcript: SupportTranscript(serviceID: "s", chatID: "c", position: 1, service: "v"))
    let comment = SupportComment(
      number: 1, author: 7, role: .endUser, isPublic: true, body: "b", attachments: [], createdAt: .epoch)
    request.evolve(.created(terms, comment, tags: [], fields: [], duties: []), at: .epoch)
    request.evolve(
      .updated(by: 9, status: .hold, tags: nil, fields: [], assignee: 9, duties: []), at: Timestamp(milliseconds: 4))
    let note = SupportRequestNote(request)
    #expect(
      note.bytes == [0x08, 0x0E, 0x10, 0x05, 0x1A, 0x01, 0x6D, 0x20, 0x04, 0x28, 0x12, 0x30, 0x08, 0x3A, 0x01, 0x76])
    #expect(try SupportRequestNote(bytes: note.bytes) == note)
  }
}
