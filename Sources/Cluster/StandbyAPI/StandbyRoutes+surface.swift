package import HTTPKit
import HTTPTypes
import JSONEnvelope
import JournalFormat
import StandbyWire

extension StandbyRoutes {
  package static let surface = RoutedSurface<StandbyRoutes>(
    "standby",
    """
    What `carillon standby` asks the server that it follows. Needs a token of the role `standby`, or `admin`. Each request \
    may say by `\(StandbyRoute.epochField)` which epoch who asks knows of: a server that hears of a later one than its own \
    ends. What refuses has a `reason` beside the usual members.
    """,
    [
      Operation(
        .get, StandbyRoute.stream, "followJournal", "The journal from a place on, as it grows",
        about: """
          Messages without end (`StandbyWire`): bytes of segments that are on the disk, files to be fetched first, and each \
          second how far the server is.
          """,
        access: .standby,
        parameters: [
          .requiredQuery(StandbyRoute.Parameter.standby, "The standby's own name.", nameSchema).example("blue"),
          .requiredQuery(StandbyRoute.Parameter.segment, "The number of the segment.", .integer(1...Int(Int32.max)))
            .example(1),
          .requiredQuery(
            StandbyRoute.Parameter.offset,
            "The end of the last frame that it has, in bytes; 0 at a segment's beginning.",
            .integer(0...FormatLimits.segmentReadByteCountMaximum)
          ).example(0),
          .query(
            StandbyRoute.Parameter.chain,
            "The chain hash of that frame; zeros before the first one. May be absent at 0, by who has nothing yet.",
            .text(pattern: "^[0-9a-f]{64}$")
          ).example(.string(String(repeating: "0", count: 64))),
        ],
        answers: [APIAnswer(200, "Messages.", [(StandbyRoute.streamMediaType, .bytes)])], failures: [400, 409, 410]
      ) { routes, _, request, _ in try await routes.stream(request) },
      Operation(
        .get, StandbyRoute.manifest, "getStandbyManifest", "What is on the disk, page by page", access: .standby,
        parameters: [.query(StandbyRoute.Parameter.after, "The `next` of the page before.").example("tokens.json")],
        answers: [.json(200, "A page, in the order of paths.", .named("StandbyManifest"))], failures: [400, 409]
      ) { routes, _, request, _ in try await routes.manifest(request) },
      Operation(
        .get, StandbyRoute.file, "getStandbyFile", "A file, or one range of it", access: .standby,
        parameters: [
          .requiredQuery(StandbyRoute.Parameter.path, "As the manifest has it.").example("tokens.json"),
          .requiredQuery(
            StandbyRoute.Parameter.version, "As the manifest has it; 412 if it is another one by now.",
            .text(1...StandbyLimits.versionByteCountMaximum)),
          .header("Range", "`bytes=FIRST-LAST` or `bytes=FIRST-`.", .text(pattern: "^bytes=[0-9]+-[0-9]*$"))
            .example("bytes=0-"),
        ],
        answers: [
          APIAnswer(200, "All of it.", [(StandbyRoute.streamMediaType, .bytes)]),
          APIAnswer(
            206, "The range.", [(StandbyRoute.streamMediaType, .bytes)],
            headers: [.required("Content-Range", .text, "Which bytes, of how many.")]),
        ], failures: [400, 404, 409, 412, 416]
      ) { routes, _, request, _ in try await routes.file(request) },
      Operation(
        .post, StandbyRoute.acknowledgement, "acknowledgeJournal", "All up to a place is on the standby's disk",
        access: .standby,
        body: .json(
          .object([
            .required("standby", nameSchema, "The name of an open stream."),
            .required("segment", .integer(1...Int(Int32.max))),
            .required("offset", .integer(0...FormatLimits.segmentReadByteCountMaximum)),
            .required("position", .integer(0...Int.max), "Of the last record before that place."),
          ])),
        answers: [.done("It is noted.")], failures: [400, 409]
      ) { routes, _, request, _ in try await routes.acknowledge(request) },
      Operation(
        .get, "/admin/1/standbys", "listStandbys", "Who follows, and how far each has come", access: .admin,
        answers: [
          .json(
            200, "Those that follow, and those that did since the server's start, by name.",
            .list(
              of: .object([
                .required("name"), .required("connected", .bool, "Its stream is open."),
                .optional("acknowledged", .integer, "The last record that is on its disk."),
                .optional("recordsBehind", .integer, "On this server's disk, and not on the standby's."),
                .required("secondsBehind", .number, "For how long the oldest of them has been there."),
              ])))
        ], failures: [400]
      ) { routes, _, request, _ in try routes.list(request) },
    ],
    schemas: [("StandbyManifest", manifestSchema), ("StandbyFile", fileSchema)])

  private static let nameSchema = APISchema.text(
    pattern: "^[A-Za-z0-9._-]{1,\(StandbyLimits.nameByteCountMaximum)}$")

  private static let fileSchema = APISchema.object([
    .required("path"), .required("size", .integer, "Bytes."),
    .required("version", .text, "Another one once it changes."),
  ])

  private static let manifestSchema = APISchema.object([
    .required(
      "journal",
      .object([
        .required("oldest_segment", .integer, "The number of the oldest segment that is kept."), .required("oldest_id"),
      ])),
    .required("epoch", .integer), .required("segment", .integer), .required("offset", .integer),
    .required("position", .integer, "Of the last record on the disk when the page was made."),
    .required(
      "segments",
      .list(
        of: .object(
          .named("StandbyFile"),
          and: [
            .required("number", .integer), .required("id"),
            .required("is_sealed", .bool, "Nothing will be added to it."),
          ]))),
    .required("files", .list(of: .named("StandbyFile"))),
    .optional("next", .text, "The path behind which the next page begins."),
  ])
}
