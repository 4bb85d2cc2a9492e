import EventSourcing
import TestSupport
import Testing

@testable import ChatDomain

@Suite("The canned replies of an owner")
struct CannedReplyTests {
  private static let time = Timestamp(milliseconds: 1_770_798_605_123)

  private static func content(
    _ shortcut: String, _ language: String? = nil, _ text: String = "x"
  ) -> CannedReplyContent {
    guard let content = try? CannedReplyContent(shortcut: shortcut, language: language, text: text) else {
      preconditionFailure("this is taken")
    }
    return content
  }

  private static func book(_ events: CannedReplyEvent...) -> CannedReplyBook {
    var book = CannedReplyBook()
    for event in events { book.evolve(event, at: time) }
    return book
  }

  private static let hi = CannedReplyEvent.replySaved(id: "1", content("hi"), by: "anna")
  private static let hallo = CannedReplyEvent.replySaved(id: "2", content("hi", "de"), by: "anna")

  /// What there is, what is wanted, and what comes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let given: [CannedReplyEvent]
    let command: CannedReplyCommand
    let outcome: Result<[CannedReplyEvent], CannedReplyRejection>

    var testDescription: String { "\(command)" }

    init(
      _ given: [CannedReplyEvent], _ command: CannedReplyCommand,
      _ outcome: Result<[CannedReplyEvent], CannedReplyRejection>
    ) {
      self.given = given
      self.command = command
      self.outcome = outcome
    }
  }

  private static let cases = [
    Case([], .add(id: "1", content("hi"), by: "anna"), .success([hi])),
    Case([hi], .add(id: "2", content("hi", "de"), by: "anna"), .success([hallo])),
    Case([hi], .add(id: "2", content("hi"), by: "anna"), .failure(.taken("hi"))),
    Case([hi, hallo], .add(id: "3", content("hi", "de"), by: "anna"), .failure(.taken("hi"))),
    Case([hi], .add(id: "1", content("bye"), by: "anna"), .failure(.taken("bye"))),
    Case([hi], .change(id: "1", content("hi"), by: "boss"), .success([])),
    Case(
      [hi], .change(id: "1", content("hi", nil, "y"), by: "boss"),
      .success([.replySaved(id: "1", content("hi", nil, "y"), by: "boss")])),
    Case([hi, hallo], .change(id: "2", content("hi"), by: "anna"), .failure(.taken("hi"))),
    Case([hi], .change(id: "2", content("bye"), by: "anna"), .failure(.unknown)),
    Case([], .change(id: "1", content("hi"), by: "anna"), .failure(.unknown)),
    Case([hi], .remove(id: "1", by: "anna"), .success([.replyRemoved(id: "1", by: "anna")])),
    Case([hi, .replyRemoved(id: "1", by: "anna")], .remove(id: "1", by: "anna"), .failure(.unknown)),
    Case(
      [hi, .replyRemoved(id: "1", by: "anna")], .add(id: "1", content("hi"), by: "anna"), .success([hi])),
  ]

  @Test("given what there is, a command has exactly these events", arguments: cases)
  func decides(one: Case) {
    var book = CannedReplyBook()
    for event in one.given { book.evolve(event, at: Self.time) }
    let outcome = Result { () throws(CannedReplyRejection) in try book.decide(one.command, now: Self.time) }
    #expect(outcome == one.outcome)
  }

  @Test("an owner has so many and no more, and room again once one is gone")
  func limit() throws {
    var book = CannedReplyBook()
    for number in 0..<CannedReplyBook.repliesMaximum {
      book.evolve(.replySaved(id: "\(number)", Self.content("s\(number)"), by: "anna"), at: Self.time)
    }
    let more = CannedReplyCommand.add(id: "more", Self.content("more"), by: "anna")
    #expect(throws: CannedReplyRejection.tooMany(limit: 500)) { try book.decide(more, now: Self.time) }
    #expect(try book.decide(.change(id: "7", Self.content("seven"), by: "anna"), now: Self.time).count == 1)
    book.evolve(.replyRemoved(id: "7", by: "anna"), at: Self.time)
    #expect(try book.decide(more, now: Self.time).count == 1)
  }

  @Test("each reply says who has written it last, and when; one that is changed stays in its place")
  func evolves() {
    var book = Self.book(Self.hi, Self.hallo)
    book.evolve(.replySaved(id: "1", Self.content("hey"), by: "boss"), at: Self.time.advanced(by: .seconds(1)))
    #expect(book.replies.map(\.id) == ["1", "2"])
    #expect(book["1"]?.content.shortcut == "hey" && book["1"]?.savedBy == "boss")
    #expect(book["1"]?.savedAt == Self.time.advanced(by: .seconds(1)) && book["2"]?.savedAt == Self.time)
    #expect(book.react(to: Self.hi).isEmpty && book.outstandingEffects.isEmpty && !book.isFinished)
    #expect(book.rest == .asleep(until: nil))
  }

  // MARK: Content

  @Test(
    "what is refused says which field it is, and why",
    arguments: [
      ("", "x", "shortcut"), ("hällo", "x", "shortcut"), ("a b", "x", "shortcut"), ("/hi", "x", "shortcut"),
      (String(repeating: "a", count: 33), "x", "shortcut"), ("hi", "", "text"),
      ("hi", String(repeating: "é", count: 2_049), "text"), ("hi", "{{customer.firstName", "text"),
      ("hi", "{{firstName}}", "text"), ("hi", "{{customer.}}", "text"), ("hi", "{{customer.first-name}}", "text"),
      ("hi", "{{customer.a.b}}", "text"), ("hi", "{{chat.data}}", "text"), ("hi", "{{}}", "text"),
      ("hi", "{{{customer.firstName}}}", "text"), ("hi", "{{ok.x}} {{customer.firstName}}", "text"),
      ("hi", "{{customer.\(String(repeating: "n", count: 65))}}", "text"),
    ])
  func refused(shortcut: String, text: String, field: String) {
    let error = #expect(throws: CannedReplyRejection.self) {
      try CannedReplyContent(shortcut: shortcut, language: nil, text: text)
    }
    switch error {
    case .empty(let name), .tooLong(let name, _), .invalid(let name, _): #expect(name == field)
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test(
    "what is taken",
    arguments: [
      "Hello {{customer.firstName}}", "{{ customer.first_Name2 }}, {{chat.service}} {{chat.subject}}",
      "{{chat.chatId}}{{chat.customer}}", "{single}", #"{"a":{"b":1}}"#, "}}", "line\nline", "{ {customer.x} }",
      String(repeating: "é", count: 2_048),
    ])
  func taken(text: String) throws {
    #expect(try CannedReplyContent(shortcut: "A-b_9", language: nil, text: text).shortcut == "a-b_9")
  }

  @Test(
    "a reply suits its language, wider and narrower ones; one without a language suits all",
    arguments: [
      (nil, "de", true), ("de", "de", true), ("de-at", "de", true), ("de", "de-at", true), ("de-at", "de-ch", false),
      ("de", "den", false), ("den", "de", false), ("en", "de", false),
    ] as [(String?, String, Bool)])
  func suits(own: String?, asked: String, isFound: Bool) {
    #expect(Self.content("hi", own).suits(asked) == isFound)
  }

  // MARK: Bytes

  /// Never change a line: journals hold these bytes.
  private static let frozen: [(CannedReplyEvent, String)] = [
    (
      .replySaved(id: "1", content("hi", "de", "Hallo"), by: "anna"),
      "0a0131120f0a026869120264651a0548616c6c6f1a04616e6e61"
    ),
    (.replySaved(id: "1", content("hi"), by: "anna"), "0a013112070a0268691a01781a04616e6e61"),
    (.replyRemoved(id: "1", by: "anna"), "0a01311a04616e6e61"),
  ]

  @Test("events are what the first version wrote")
  func payloads() throws {
    for (event, bytes) in Self.frozen {
      let stored = StoredEvent(event)
      #expect(stored.payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == bytes)
      #expect(try stored.decoded(as: CannedReplyEvent.self) == event)
    }
    #expect(Self.frozen.map(\.0.tag) == [1, 1, 2])
    #expect(throws: PayloadError.unknownTag(3)) {
      try StoredEvent(tag: 3, payload: []).decoded(as: CannedReplyEvent.self)
    }
    for tag in EventTag(1)...2 {
      #expect(throws: PayloadError.missingField(1)) {
        try StoredEvent(tag: tag, payload: []).decoded(as: CannedReplyEvent.self)
      }
    }
  }

  @Test("a state is what the first version wrote")
  func state() throws {
    let book = Self.book(Self.frozen[0].0)
    #expect(
      book.stateBytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == "0a210a0131120f0a026869120264651a0548616c6c6f18868d93bd89672204616e6e61")
    #expect(CannedReplyBook().stateBytes.isEmpty)
  }

  @Test(
    "what records make, a snapshot of any moment and the records behind it make too", arguments: 0..<50 as Range<UInt64>
  )
  func restoring(seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    var (book, restored) = (CannedReplyBook(), CannedReplyBook())
    for step in 0..<60 {
      let id = "\(Int.random(in: 0..<8, using: &chance))"
      let content = Self.content(
        "s\(Int.random(in: 0..<6, using: &chance))", [nil, "de", "en"].randomElement(using: &chance) ?? nil,
        "t\(Int.random(in: 0..<3, using: &chance))")
      let command: CannedReplyCommand =
        switch Int.random(in: 0..<4, using: &chance) {
        case 0, 1: .add(id: id, content, by: "anna")
        case 2: .change(id: id, content, by: "boss")
        default: .remove(id: id, by: "anna")
        }
      let time = Self.time.advanced(by: .seconds(step))
      for event in (try? book.decide(command, now: time)) ?? [] {
        book.evolve(event, at: time)
        restored.evolve(event, at: time)
      }
      if Int.random(in: 0..<3, using: &chance) == 0 { restored = try CannedReplyBook(stateBytes: restored.stateBytes) }
      #expect(restored == book && restored.stateBytes == book.stateBytes, "seed \(seed), step \(step)")
    }
    let keys = book.replies.map { "\($0.content.shortcut) \($0.content.language ?? "")" }
    #expect(Set(keys).count == keys.count, "two replies of one shortcut")
  }
}
