import AuditEngine
import EngineKit
import HTTPKit
import HTTPTypes
import JSONEnvelope

extension AdminRoutes {
  static let journalOperations: [Operation<AdminRoutes>] =
    [
      Operation(
        .get, "/admin/1/journal", "getJournal", "Where the journal stands, and what it lies on", access: .admin,
        answers: [.json(200, "Now.", .named("JournalStatus"))], failures: [400]
      ) { routes, _, request, _ in try await routes.journalStatus(request) },
      Operation(
        .get, "/admin/1/journal/records", "listRecords", "Records, as they stand in the journal",
        about: """
          The journal is read for a second at most: a page may hold less than there is, or nothing, and say all the same in \
          `Link` where it goes on.
          """,
        access: .admin,
        parameters: APIParameter.listed(
          [
            .query("entity", "Of this entity, as `kind:key`.").example("chat:412-0b7c6e1e"),
            .query("kind", "Of this kind: its name or number.").example("chat"), revealing,
          ], upTo: EngineLimits().listMaximum
        ).map(\.asPosition),
        answers: [
          .json(
            200, "Records, oldest first. If there is more, the header `Link` says where it is.",
            .list(of: .named("JournalRecord")),
            headers: [
              .required("Journal-Head", .integer, "The last record on the disk."),
              .required("Journal-Searched", .integer, "The last record that was looked at."),
            ])
        ], failures: [400]
      ) { routes, _, request, _ in try await routes.journalRecords(request) },
    ] + histories + verifications

  private static let histories: [Operation<AdminRoutes>] = [
    Operation(
      .get, "/admin/1/journal/state", "getState", "What an entity was at a moment",
      about: """
        Rebuilt from its records by the rules of the server itself. In a journal that takes more than 20 seconds to read: 503, \
        and the command `carillon journal replay` is the way.
        """,
      access: .admin,
      parameters: [
        entityAsked, .query("at", "Up to and including this record or moment; now if absent.").example("17"), revealing,
      ],
      answers: [.json(200, "Its state.", .object(.named("EntityState"), and: [.required("entity")]))],
      failures: [400, 404, 500]
    ) { routes, _, request, _ in try await routes.journalState(request) },
    Operation(
      .get, "/admin/1/journal/diff", "compareStates", "What changed in an entity between two moments",
      about: "Before its first record an entity has the empty state.", access: .admin,
      parameters: [
        entityAsked,
        .requiredQuery("from", "Up to and including this record or moment.").example("15"),
        .query("to", "As `from`, and not before it; now if absent."), revealing,
      ],
      answers: [
        .json(
          200, "Both states, and field by field what is not the same.",
          .object([
            .required("entity"), .required("before", .named("EntityState")), .required("after", .named("EntityState")),
            .required(
              "changes",
              .list(
                of: .object([
                  .required("path"), .optional("before", .anything, "Absent: the field came."),
                  .optional("after", .anything, "Absent: the field went."),
                ]))),
          ]))
      ], failures: [400, 404, 500]
    ) { routes, _, request, _ in try await routes.journalDifference(request) },
  ]

  private static let verifications: [Operation<AdminRoutes>] = [
    Operation(
      .post, "/admin/1/journal/verifications", "beginVerification", "Check the whole journal and its snapshots",
      about: "In the background, one at a time.", access: .admin,
      answers: [
        .json(
          202, "It runs.", .named("Verification"),
          headers: [.required("Location", .text, "Where to ask how far it is.")])
      ], failures: [409]
    ) { routes, token, _, _ in try await routes.beginVerification(token) },
    Operation(
      .get, "/admin/1/journal/verifications/current", "getVerification", "How far the last verification has come",
      about: "Since the server's start.", access: .admin,
      answers: [.json(200, "So far, or how it ended.", .named("Verification"))], failures: [404]
    ) { routes, _, _, _ in try routes.currentVerification() },
    Operation(
      .get, "/admin/1/journal/checkpoint", "getCheckpoint", "The head of the journal, signed",
      about: """
        What `carillon journal checkpoint` writes, of the head that the last verification has found, signed by the key that the \
        option `journal.checkpoint_key` names. 409 if there is no such key, or nothing was verified since the server's start.
        """,
      access: .admin,
      answers: [
        APIAnswer(200, "To be kept where who can change the journal cannot change it.", [("text/plain", .text)])
      ],
      failures: [400, 409]
    ) { routes, _, request, _ in try await routes.checkpoint(request) },
  ]

  private static let entityAsked = APIParameter.requiredQuery("entity", "As `kind:key`.").example("chat:412-0b7c6e1e")

  static let journalSchemas: [(String, APISchema)] = [
    ("JournalStatus", journalStatus), ("JournalRecord", journalRecord), ("Verification", verification),
    (
      "EntityState",
      .object([
        .required("position", .integer, "Of the last record up to then; 0 before the first."),
        .required("sequence", .integer, "The last record's number among the entity's."), .required("time", .time),
        .required("records", .integer, "How many there were."),
        .required("state", .anything, "By the names of the server's own fields, which may change with its version."),
      ])
    ),
  ]

  private static let journalStatus = APISchema.object([
    .required(
      "head",
      .object([
        .required("position", .integer, "The last record on the disk."),
        .required("chainHash", .text(pattern: "^[0-9a-f]{64}$")), .required("segment", .integer),
      ])),
    .required("lastPosition", .integer, "The last record that was given a number."),
    .required("commits", .integer, "Since the server's start."), .optional("lastSyncAt", .time),
    .required("segmentCount", .integer), .required("segmentBytes", .integer),
    .required(
      "segments",
      .list(
        of: .object([
          .required("number", .integer), .required("bytes", .integer), .required("archived", .bool),
          .required("packed", .bool),
        ])), "The newest hundred, oldest first."),
    .required("entities", .list(of: .object([.required("kind"), .required("count", .integer)]))),
    .optional(
      "snapshot",
      .object([.required("position", .integer), .required("madeAt", .time), .required("ageSeconds", .integer)]),
      "The newest one; absent if there is none."),
    .optional("bytesLeft", .integer, "On the journal's file system."),
    .required("full", .bool, "There is no room for another segment: changes are refused soon, or already."),
  ])

  private static let journalRecord = APISchema.object([
    .required("position", .integer), .required("time", .time), .required("kind"),
    .optional("redacted", .bool, "It was erased: nothing else is left."), .optional("id"),
    .optional("sequence", .integer), .optional("tag", .integer), .optional("name", .text, "Of the event."),
    .optional("event", .anything),
    .optional("payload", .text, "Hexadecimal digits of what this version cannot read, if keys are shown."),
    .optional("payloadBytes", .integer),
  ])

  private static let verification = APISchema.object([
    .required("state", .oneOf("running", "intact", "damaged", "stopped")),
    .optional("problem", .text, "What is wrong, and where."), .required("by", .text, "The name of the token."),
    .required("begunAt", .time), .optional("endedAt", .time),
    .required("segmentCount", .integer, "That there were when it began."),
    .required("segments", .integer, "That were checked."), .required("frames", .integer),
    .required("records", .integer), .required("redactedRecords", .integer), .required("firstPosition", .integer),
    .required("lastPosition", .integer), .required("storedBytes", .integer),
    .required("headHash", .text(pattern: "^[0-9a-f]{64}$"), "Of the last frame that was checked."),
    .required("snapshots", .integer, "That were checked, once it has ended."),
  ])
}
