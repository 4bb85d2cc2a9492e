import CallbackDomain
import ChatDomain
import EventSourcing
import PushDomain
import StorageDomain
import SupportDomain
import TestSupport

@testable import Engine

/// A journal of a few people whose chats, sessions, devices, callbacks, files and requests are mixed up with each other
/// as much as the rules of the links allow, and more than a server would: what it is depends on the seed only.
struct RandomJournal {
  let records: AuditRecords
  /// By which somebody might be asked for; some of them are nobody's.
  let subjects: [String]

  private static let users = (0..<4).map { "u\($0)" }
  private static let chats = (0..<6).map { "1-chat\($0)" }
  private static let sessions = (0..<5).map { "comet\($0)" }
  private static let devices = (0..<4).map { "device\($0)" }
  private static let people = ["5", "6", "7"]
  private static let mails = ["mia@example.org", "Otto@Example.org", "kim@example.org"]

  private var generator: SeededGenerator

  init(seed: UInt64, count: Int = 160) throws {
    generator = SeededGenerator(seed: seed)
    // Several of them: links lead from one to another.
    records = try AuditRecords(segmentByteCount: 16 * 1024)
    subjects =
      Self.users + Self.chats + Self.sessions + Self.devices + Self.mails
      + ["session-1-chat0", "session-1-chat3", "user:5", "request:2", "OTTO@example.org", "c-6", "abcd6", "ABCD6"]
      + ["support/5", "F1", "sub1", "CB1", "stranger", "request/1"]
    for index in 0..<count {
      try add()
      // Several lives of the server, and long silences.
      if index % 50 == 49 {
        try records.run()
        records.after(40_000)
      }
    }
    try records.run()
  }

  private mutating func one(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func address() -> PushAddress { PushAddress(type: "customhttp", deviceID: one(Self.devices)) }

  private mutating func add() throws {
    records.after(Int64(below(900)))
    switch below(12) {
    case 0: records.chat(one(Self.chats), AuditRecords.created([NameValuePair("email", one(Self.mails))]))
    case 1: addStart()
    case 2: records.chat(one(Self.chats), .linePosted(party: 0, type: .messageText, text: "line \(below(100))"))
    case 3: records.chat(one(Self.chats), .cometSubscribed(session: one(Self.sessions), activeAfter: 1))
    case 4: addSession()
    case 5, 6: addPush()
    case 7: addDevice()
    case 8: try addSubscription()
    case 9: addStored()
    case 10: try addSupport()
    default: addCallback()
    }
  }

  private mutating func addStart() {
    let chat = one(Self.chats)
    records.chat(
      chat,
      AuditRecords.start(
        "session-\(chat)", user: below(4) == 0 ? nil : one(Self.users), nickname: "Guest",
        device: below(2) == 0 ? one(Self.devices) : nil))
  }

  private mutating func addSession() {
    records.comet(
      one(Self.sessions),
      .opened(
        userKey: below(3) == 0 ? nil : one(Self.users + ["support/5"]),
        serviceID: below(2) == 0 ? one(Self.chats) : nil,
        acknowledges: false, browserID: nil))
  }

  private mutating func addPush() {
    let producer = one(Self.chats + ["callback/CB1", "callback/CB2", "request/1", "request/2", "sub1", "sub2", "3/1"])
    let address = address()
    let queue = below(2) == 0 ? DeviceKey.of(address) : "queue\(below(3))"
    guard below(3) > 0 else {
      return records.push(queue, .settled(PushID(producer: producer, number: 1), .delivered, attempts: 1))
    }
    guard below(8) > 0 else { return records.push(queue, .unregistered(reason: "gone")) }
    records.push(
      queue,
      .enqueued(
        PushMessage(
          producer: producer, number: below(5), tag: "chat", alert: "New", content: Array("{}".utf8), service: "s",
          target: address, owner: below(2) == 0 ? one(Self.users + ["support/6"]) : nil)))
  }

  private mutating func addDevice() {
    let address = address()
    let registration = DeviceRegistration(address: address, owner: below(5) == 0 ? nil : one(Self.users))
    let key = DeviceKey.of(address)
    switch below(4) {
    case 0: records.add(.device, key, DeviceEvent.replaced(by: self.address()))
    case 1: records.add(.device, key, DeviceEvent.ended(reason: "gone"))
    case 2: records.add(.device, key, DeviceEvent.moved(registration))
    default: records.add(.device, key, DeviceEvent.registered(registration))
    }
  }

  private mutating func addSubscription() throws {
    let terms = SubscriptionTerms(
      subscriberID: one(Self.users), filter: try SubscriptionFilter("f"), address: address(), properties: [],
      expiresAt: .epoch, owner: below(2) == 0 ? one(Self.users) : nil)
    records.add(.subscription, "sub\(below(3))", SubscriptionEvent.opened(terms))
  }

  private mutating func addStored() {
    let name: StorageName? =
      switch below(4) {
      case 0: .custom(id: "x", user: one(Self.users))
      case 1: .instance(one(Self.chats))
      case 2: .file(id: "y", chat: one(Self.chats))
      default: nil
      }
    records.add(
      .stored, "F\(below(3))", StorageEvent.stored([StoredPair("a", .text("b"))], name: name, until: .epoch))
  }

  private mutating func addSupport() throws {
    let (person, request) = (one(Self.people), String(below(3)))
    switch below(4) {
    case 0:
      let identity =
        switch below(3) {
        case 0: SupportIdentity(key: .verified("external:c-\(person)"), name: "Mia", email: one(Self.mails))
        case 1: SupportIdentity(key: .contact(one(Self.mails)), name: "Otto")
        default: SupportIdentity(key: .anonymous(app: "demo", guid: "guid-\(person)"), name: "Anna")
        }
      records.add(.supportUser, person, SupportUserEvent.identified(identity))
    case 1:
      records.add(.supportUser, person, try AuditRecords.registered([("abcd\(person)", .ios)])[0])
    default:
      let transcript =
        below(2) == 0
        ? SupportTranscript(serviceID: one(Self.chats), chatID: "session", position: 3) : nil
      let comment = SupportComment(
        number: 1, author: Int64(person) ?? 5, role: .endUser, isPublic: true, body: "Help",
        attachments: [SupportAttachment(token: "F\(below(3))", fileName: "a", contentType: "a/b", size: 1)],
        createdAt: .epoch)
      let terms = SupportRequestTerms(
        requester: Int64(person) ?? 5, channel: .chat, app: "demo", subject: "Help", transcript: transcript)
      records.add(
        .supportRequest, request,
        SupportRequestEvent.created(terms, comment, tags: [], fields: [], duties: []))
    }
  }

  private mutating func addCallback() {
    var request = CallbackRequest(serviceName: "callback-voice", userKey: one(Self.users))
    request.fields = [NameValuePair("_customer_number", "555"), NameValuePair("email", one(Self.mails))]
    request.device = below(2) == 0 ? CallbackDevice(type: "customhttp", deviceID: one(Self.devices)) : nil
    // A callback and its chat have one key.
    records.add(
      .callback, one(["CB1", "CB2"] + Self.chats), CallbackEvent.created(request, expiresAt: .epoch, dueAt: nil))
  }
}
