import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Erasure and housekeeping.
extension AdminRoutes {
  package static let surface = RoutedSurface<AdminRoutes>(
    "administration", "What operators do. Needs a token of the role `admin`.",
    [
      Operation(
        .post, "/admin/1/redactions", "beginRedaction", "Erase all of one customer",
        about: "Waits up to 20 seconds for the end. With `dryRun` nothing is erased, only counted.", access: .admin,
        body: .json(
          .object([
            .required("subject", .text(1...256), "`gms_user`, a service or chat id, or a sender's registration."),
            .optional("reason", .text(0...256), "Kept with the report."),
            .optional("dryRun", APISchema.bool.byDefault(.bool(false)), "Count what it would reach."),
          ])),
        answers: [
          .json(
            200, "It is done, or counted.", .either(.named("Redaction"), .named("RedactionPreview")),
            links: [APILink(to: "getRedaction", "id", from: "/id")]),
          .json(
            202, "It runs.", .named("RedactionRunning"),
            headers: [.required("Location", .text, "Where to ask for the report.")],
            links: [APILink(to: "getRedaction", "id", from: "/id")]),
        ], failures: [400, 404]
      ) { routes, token, request, _ in try await routes.begin(token, request) },
      Operation(
        .get, "/admin/1/redactions", "listRedactions", "The latest erasures, the oldest first", access: .admin,
        parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("Those that are done.", of: .named("Redaction"))], failures: [400]
      ) { routes, _, request, _ in try await routes.list(request) },
      Operation(
        .get, "/admin/1/redactions/{id}", "getRedaction", "One erasure", access: .admin,
        parameters: [.path("id", "The erasure's id.")],
        answers: [
          .json(200, "It is done.", .named("Redaction")),
          .json(
            202, "It runs.", .named("RedactionRunning"),
            headers: [.required("Location", .text, "Where to ask for the report.")]),
        ], failures: [404]
      ) { routes, _, _, context in try await routes.redaction(context) },
      Operation(
        .post, "/admin/1/snapshots", "writeSnapshot", "Write a snapshot now",
        about: "The next start reads it in place of the journal before it.", access: .admin,
        answers: [
          .json(
            200, "It is written.",
            .object([
              .required("position", .integer, "In the journal."), .required("entities", .integer),
              .required("bytes", .integer),
            ]))
        ]
      ) { routes, _, _, _ in try await routes.snapshot() },
    ] + timelineOperations + journalOperations,
    schemas: journalSchemas + [
      ("TimelineEntry", timelineEntry),
      (
        "Redaction",
        .object([
          .required("id"), .required("state", .oneOf("done")), .required("by", .text, "The name of the token."),
          .required("reason"), .required("requestedAt", .time),
          .required("records", .integer, "Journal records that were made empty."), .required("entities", .integer),
          .required("segments", .integer, "Journal files that were written anew."), .required("upTo", .integer),
        ])
      ),
      (
        "RedactionPreview",
        .object([
          .required("state", .oneOf("dryRun")),
          .required("records", .integer, "Journal records that would be made empty."),
          .required("entities", .integer),
          .required(
            "kinds",
            .list(of: .object([.required("kind"), .required("records", .integer), .required("entities", .integer)]))),
        ])
      ), ("RedactionRunning", .object([.required("id"), .required("state", .oneOf("running"))])),
    ])
}
