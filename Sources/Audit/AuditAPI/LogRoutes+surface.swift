import AuditEngine
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

extension Admission where Routes == LogRoutes, Caller == LogRoutes.Reader {
  /// Whoever may read the log, as the operator has it.
  static var logReader: Self { Self(.openOrAdmin) { routes, request, _ in try routes.admit(request) } }
}

extension LogRoutes {
  package static let surface = RoutedSurface<LogRoutes>(
    "evidence",
    """
    The journal as a log that strangers can check, in the formats of C2SP (signed notes, tlog-checkpoint, tlog-tiles, \
    tlog-cosignature). `journal.tlog_readers` says who may read it: nobody (404), operators by their tokens, anyone. A proof \
    shows one record, a tile none.
    """, readers + operators, schemas: [("LogStatus", logStatus), ("LogCheckpoint", logCheckpoint)])

  private static let readers: [Operation<LogRoutes>] = [
    Operation(
      .get, "/tlog/checkpoint", "getLogCheckpoint", "The newest checkpoint that its witnesses have seen",
      about: """
        A signed note with the cosignatures that it has. A newer one takes its place once as many witnesses as \
        `journal.witness_quorum` says have cosigned it.
        """,
      access: .logReader, answers: [APIAnswer(200, "A note.", [("text/plain", .text)])], failures: [404]
    ) { routes, reader, _, _ in try routes.checkpoint(reader) },
    Operation(
      .get, "/tlog/tile/{tile}", "getLogTile", "A tile of the tree, or the entries below one",
      about: """
        256 hashes of 32 bytes, fewer in a partial tile; `entries/…`: of each record its length, 2 bytes, and its salted leaf. \
        They never change. 404 beyond the published checkpoint, and for entries that were deleted with the journal's \
        beginning.
        """,
      access: .logReader,
      parameters: [
        .rest("tile", "Level or `entries`, and place, as tlog-tiles writes them.", .text(1...64)).example("0/000.p/8")
      ],
      answers: [APIAnswer(200, "Its bytes.", [("application/octet-stream", .bytes)])], failures: [400, 404]
    ) { routes, reader, request, _ in try await routes.tile(request.uri.path, reader) },
  ]

  private static let operators: [Operation<LogRoutes>] = [
    Operation(
      .get, "/admin/1/tlog", "getLog", "How it stands with the log and its witnesses", access: .admin,
      answers: [.json(200, "Now.", .named("LogStatus"))], failures: [400, 409]
    ) { routes, _, request, _ in try await routes.status(request) },
    Operation(
      .post, "/admin/1/tlog/checkpoints", "makeLogCheckpoint", "Make a checkpoint now, and show it to the witnesses",
      about:
        "Without new records the witnesses are asked to cosign the newest one once more. 409 says why none is made.",
      access: .admin,
      answers: [.json(200, "How it stands, once each witness has answered or was too slow.", .named("LogStatus"))],
      failures: [400, 409]
    ) { routes, _, request, _ in try await routes.makeCheckpoint(request) },
  ]

  private static let logCheckpoint = APISchema.object([
    .required("size", .integer, "Records."), .required("root", .text, "Base64."),
    .required("cosignatures", .integer, "By witnesses that are configured."),
  ])

  private static let logStatus = APISchema.object([
    .required("origin"), .optional("verifierKey", .text, "What others check its checkpoints by."),
    .required("readers", .oneOf(LogReaders.allCases.map(\.rawValue))),
    .optional("tree", .object([.required("size", .integer), .required("root", .text, "Base64.")])),
    .optional("problem", .text, "Why the last checkpoint could not be made."),
    .optional("newest", .named("LogCheckpoint")), .optional("published", .named("LogCheckpoint")),
    .required("quorum", .integer, "Witnesses that have to cosign."),
    .required(
      "witnesses",
      .list(
        of: .object([
          .required("name"), .required("url"),
          .required("cosignedSize", .integer, "Of the largest checkpoint that it has cosigned."),
          .optional("cosignedAt", .time, "By its own clock."),
          .optional("problem", .text, "Why it has not, the last time that it was asked."),
          .required("fork", .bool, "It says that it has seen another history."),
        ]))),
  ])
}
