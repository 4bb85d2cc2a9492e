import AuditEngine
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What happened, from the running server's own journal.
extension AdminRoutes {
  static let timelineOperations: [Operation<AdminRoutes>] = [
    Operation(
      .get, "/admin/1/timeline", "readTimeline", "What happened: who did what, when, and what became of each push",
      about: """
        Just one of `subject`, `entity` and `message` says of what. The journal is read for a second at most: a page may \
        hold less than there is, or nothing, and say all the same in `Link` where it goes on. What one record tells stands \
        on one page, which may therefore hold a little more than `limit`. 404 only once it is sure that nothing is there.
        """,
      access: .admin, parameters: APIParameter.listed(asked, upTo: EngineLimits().listMaximum).map(\.asPosition),
      answers: [
        .json(
          200, "What happened, in the order of the journal. If there is more, the header `Link` says where it is.",
          .list(of: .named("TimelineEntry")),
          headers: [
            .required("Journal-Head", .integer, "The last record on the disk."),
            .required("Journal-Searched", .integer, "The last record that was told of; 0 while it is still searched."),
          ])
      ], failures: [400, 404]
    ) { routes, _, request, _ in try await routes.timeline(request) },
    Operation(
      .get, "/admin/1/timeline/stream", "followTimeline", "Follow what happens",
      about: """
        Server-sent events called `entry`, each with an entry as JSON and the record's number as its id. From now on, \
        behind the record `after`, or behind the header `Last-Event-ID` of a stream that comes back.
        """,
      access: .admin,
      parameters: asked + [
        APIParameter.query("after", "Behind this record.", position),
        .header("Last-Event-ID", "The id of the last event seen: goes on behind it.", position),
      ],
      answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])], failures: [400]
    ) { routes, token, request, _ in try routes.followTimeline(token, request) },
  ]

  static let position = APISchema.text(pattern: "^[0-9]{1,18}$").example("0")

  private static let asked: [APIParameter] = [
    .query(
      "subject",
      "A customer: a user key, a chat's or device's id, a value of attached data such as an e-mail address.",
      .text(0...subjectBytesMaximum)),
    .query("entity", "One entity, as `kind:key`.").example("chat:412-0b7c6e1e"),
    .query("message", "A push or message, by the id that its sender, device or courier was told.", .text(0...256)),
    .query("from", "From this record or moment on.").example("2026-02-11T08:30:05Z"),
    .query("to", "Up to and including this record or moment."),
    .query("details", "Bookkeeping too.", flag), .query("texts", "`false` leaves out what people wrote.", flag),
    revealing,
  ]

  static let flag = APISchema.oneOf("true", "false")
  static let revealing = APIParameter.query(
    "reveal", "`true` shows keys that open something, in place of the beginning of their hash.", flag)

  static let timelineEntry = APISchema.object(
    [
      .required("position", .integer, "The record's number; that of the next one if no record tells of it."),
      .required("time", .time), .optional("kind", .text, "Of the entity; absent if it is about the whole server."),
      .optional("id", .text, "The entity's."), .required("event"),
      .optional("transcriptPosition", .integer), .required("who", .text, "A person's name, or what acted."),
      .required("what", .text, "Without what people wrote; empty if they just said something."),
      .optional("text", .text, "What people wrote."),
      .optional("message", .text, "The id of the push or message, as `message` takes it."),
      .optional("outcome", .text, "How the push or message ended."),
      .optional("reason", .text, "Why it ended, or is tried again; why a device ended."),
      .optional("until", .time, "When it is tried again, or asked for."),
      .optional("deadLetter", .bool, "It is kept for the operator; absent if not."),
    ]
      + TimelineSpan.Kind.allCases.map { .optional("\($0.rawValue)Milliseconds", .integer) }
      + [.required("detail", .bool, "Bookkeeping.")])

  private static let askedNames = ["subject", "entity", "message", "from", "to", "details", "texts", "reveal"]
  static let subjectBytesMaximum = 1_024

  func timeline(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, Self.askedNames, limitMaximum: listMaximum)
    let (question, filter) = try Self.question(query)
    let after = try query.after.map { try Self.position($0, "after") } ?? 0
    let page = try await audit.timeline(question, filter, after: after, limit: query.limit)
    let text = try text(query)
    var fields = query.link(next: page.next.map { String($0) })
    fields[.journalHead] = String(page.head)
    fields[.journalSearched] = String(page.searchedTo)
    return .json(adding: fields) { $0.objects(page.entries) { text.write($0, into: &$1) } }
  }

  func followTimeline(_ token: AccessToken, _ request: Request) throws -> Response {
    let query = try ListQuery(ofResource: request, Self.askedNames + ["after"])
    let (question, filter) = try Self.question(query)
    let after = try (request.headers[.lastEventID] ?? query["after"]).map { try Self.position($0, "after") }
    let text = try text(query)
    guard let place = audit.placeToFollow() else { throw EdgeFailure.unavailable("Too many streams are open") }
    return .events { [audit, tokens] send in
      defer { withExtendedLifetime(place) {} }
      try await audit.follow(question, filter, after: after) { entries in
        guard tokens.isUsable(token) else { return false }
        for (index, entry) in entries.enumerated() {
          // Whoever comes back behind an id must not miss the rest of what its record told.
          let isLast = index + 1 == entries.count || entries[index + 1].position != entry.position
          try await send(Self.event(entry, text, isLast: isLast))
        }
        return true
      }
    }
  }

  private static func event(_ entry: TimelineEntry, _ text: TimelineText, isLast: Bool) -> [UInt8] {
    // A JSON text has no line break of its own, so one `data` line holds it.
    Array("event: entry\n\(isLast ? "id: \(entry.position)\n" : "")data: ".utf8) + text.json(entry)
      + Array("\n\n".utf8)
  }

  private func text(_ query: ListQuery) throws(EdgeFailure) -> TimelineText {
    TimelineText(showsTexts: try query.flag("texts", standard: true), mask: try mask(query))
  }

  /// Nil if the operator wants to see all.
  func mask(_ query: ListQuery) throws(EdgeFailure) -> KeyMask? {
    try query.flag("reveal") ? nil : KeyMask(audit.catalogue)
  }

  private static func question(_ query: ListQuery) throws(EdgeFailure) -> (TimelineQuestion, TimelineFilter) {
    let names = ["subject", "entity", "message"]
    let given = names.filter { query[$0] != nil }
    guard !given.isEmpty else { throw .missingParameter(names.joined(separator: "' or '")) }
    guard given.count < 2 else { throw .badParameter(given[1], "cannot be given together with '\(given[0])'") }
    let filter = TimelineFilter(
      hasDetails: try query.flag("details"), from: try bound(query, "from"), to: try bound(query, "to"))
    if let subject = query["subject"] {
      return (.subject(try short(subject, "subject", subjectBytesMaximum)), filter)
    }
    if let message = query["message"] { return (.message(try short(message, "message", 256)), filter) }
    return (.entity(try entity(query)), filter)
  }

  private static func short(_ text: String, _ name: String, _ maximum: Int) throws(EdgeFailure) -> String {
    guard text.utf8.count <= maximum else { throw .badParameter(name, "has more than \(maximum) bytes") }
    return text
  }

  /// - Throws: if it is missing, or names no entity.
  static func entity(_ query: ListQuery) throws(EdgeFailure) -> EntityID {
    guard let text = query["entity"] else { throw .missingParameter("entity") }
    guard let entity = EntityID(argument: text) else {
      throw .badParameter("entity", "is not a kind, a colon and a key")
    }
    return entity
  }

  static func bound(_ query: ListQuery, _ name: String) throws(EdgeFailure) -> JournalBound? {
    guard let text = query[name] else { return nil }
    guard let bound = JournalBound(argument: text) else {
      throw .badParameter(name, "is neither a record's number nor a time such as 2026-02-11T08:30:05Z")
    }
    return bound
  }

  static func position(_ text: String, _ name: String) throws(EdgeFailure) -> UInt64 {
    guard let position = UInt64(text), position <= UInt64(Int64.max) else {
      throw .badParameter(name, "is not a record's number")
    }
    return position
  }
}

extension APIParameter {
  /// `after` of a list that goes by records.
  var asPosition: APIParameter {
    member.name == "after" ? .query("after", "Behind this record.", AdminRoutes.position) : self
  }
}

extension HTTPField.Name {
  /// The last record of the journal that is on the disk.
  static let journalHead = HTTPField.Name("Journal-Head")!
  /// The last record that was looked at for a question.
  static let journalSearched = HTTPField.Name("Journal-Searched")!
}
