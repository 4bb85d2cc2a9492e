import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The operator's API: JSON, with a bearer token of the role `admin`.
///
/// | | |
/// |---|---|
/// | `POST /admin/1/redactions` `{"subject":…,"reason":…}` | erases all of one customer; 200 with the report, or 202 while it runs |
/// | `GET /admin/1/redactions/{id}` | the same for one that runs or is done |
/// | `GET /admin/1/redactions` | the latest ones |
/// | `POST /admin/1/snapshots` | writes a snapshot now |
struct AdminRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    let (engine, tokens, limits) = (engine, tokens, limits)
    router.resource(
      "/admin/1/redactions",
      [
        .post: { request, _ in
          let token = try request.requireOperator(tokens)
          let body = try JSONBody(try await request.bytes(limits: limits))
          let id = try engine.redactions.begin(
            subject: try body.text("subject"), by: token.name, reason: try body.optionalText("reason") ?? "")
          return try await Self.answer(id, engine, waiting: true)
        },
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = try ListQuery(request, limitMaximum: engine.listMaximum.operators)
          // In the order in which they were done, which is not that of their ids.
          let done = await engine.redactions.done()
          let start = try query.after.map { after throws(EdgeFailure) in
            guard let place = done.firstIndex(where: { $0.id == after }) else {
              throw .badParameter("after", "is not where a list ended")
            }
            return place + 1
          }
          let rest = done[(start ?? 0)...]
          let page = rest.prefix(query.limit)
          return .json(adding: query.link(next: rest.count > page.count ? page.last?.id : nil)) {
            $0.objects(page) { Self.write($0, into: &$1) }
          }
        },
      ])
    router.resource(
      "/admin/1/redactions/:id",
      [
        .get: { request, context in
          try request.requireOperator(tokens)
          return try await Self.answer(try context.parameters.require("id"), engine, waiting: false)
        }
      ])
    router.resource(
      "/admin/1/snapshots",
      [
        .post: { request, _ in
          try request.requireOperator(tokens)
          let info = try await engine.snapshotNow()
          return .object { snapshot in
            snapshot.member("position", Int(clamping: info.position))
            snapshot.member("entities", info.entities)
            snapshot.member("bytes", info.bytes)
          }
        }
      ])
  }

  private static func answer(_ id: String, _ engine: Engine, waiting: Bool) async throws -> Response {
    let state =
      waiting
      ? await engine.redactions.state(of: id, waitingMilliseconds: EdgeLimits.redactionWaitMilliseconds)
      : await engine.redactions.state(of: id)
    switch state {
    case nil: throw EdgeFailure.notFound
    case .running:
      return .object(status: .accepted, adding: [.location: "/admin/1/redactions/\(id)"]) { running in
        running.member("id", id)
        running.member("state", "running")
      }
    case .done(let report): return .object { write(report, into: &$0) }
    case .refused(let error): throw error
    case .failed: throw EdgeFailure.unexpected
    }
  }

  private static func write(_ report: RedactionLog.Redaction, into object: inout JSONObjectWriter) {
    object.member("id", report.id)
    object.member("state", "done")
    object.member("by", report.by)
    object.member("reason", report.reason)
    object.member("requestedAt", report.requestedAt.iso8601)
    object.member("records", report.records)
    object.member("entities", report.entities)
    object.member("segments", report.segments)
    object.member("upTo", Int(clamping: report.upTo))
  }
}
