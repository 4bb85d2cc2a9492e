package import AuditEngine
package import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Erasure and housekeeping for the operator: JSON, with a bearer token of the role `admin`.
package struct AdminRoutes: TokenRoutes {
  let redactions: Redactions
  let audit: JournalAudit
  let writeSnapshot: @Sendable () async throws -> SnapshotSummary
  package let tokens: TokenStore
  let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int

  package init(
    redactions: Redactions, audit: JournalAudit, tokens: TokenStore, limits: EdgeLimits, listMaximum: Int,
    writeSnapshot: @escaping @Sendable () async throws -> SnapshotSummary
  ) {
    self.redactions = redactions
    self.audit = audit
    self.tokens = tokens
    self.limits = limits
    self.listMaximum = listMaximum
    self.writeSnapshot = writeSnapshot
  }

  func begin(_ token: AccessToken, _ request: Request) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let subject = try body.text("subject")
    if try body.optionalBool("dryRun") ?? false { return Self.answer(try await redactions.preview(subject: subject)) }
    let id = try redactions.begin(
      subject: subject, by: token.name, reason: try body.optionalText("reason") ?? "")
    return try answer(
      id, await redactions.state(of: id, waitingMilliseconds: EdgeLimits.redactionWaitMilliseconds))
  }

  func list(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    // In the order in which they were done, which is not that of their ids.
    let done = await redactions.done()
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
  }

  func redaction(_ context: EdgeRequestContext) async throws -> Response {
    let id = try context.parameters.require("id")
    return try answer(id, await redactions.state(of: id))
  }

  func snapshot() async throws -> Response {
    let summary = try await writeSnapshot()
    return .object { snapshot in
      snapshot.member("position", Int(clamping: summary.position))
      snapshot.member("entities", summary.entities)
      snapshot.member("bytes", summary.bytes)
    }
  }

  private func answer(_ id: String, _ state: RedactionState?) throws -> Response {
    switch state {
    case nil: throw EdgeFailure.notFound
    case .running:
      return .object(status: .accepted, adding: [.location: "/admin/1/redactions/\(id)"]) { running in
        running.member("id", id)
        running.member("state", "running")
      }
    case .done(let report): return .object { Self.write(report, into: &$0) }
    case .refused(let error): throw error
    case .failed: throw EdgeFailure.unexpected
    }
  }

  private static func answer(_ preview: RedactionPreview) -> Response {
    .object { object in
      object.member("state", "dryRun")
      object.member("records", preview.records)
      object.member("entities", preview.entities)
      object.objects("kinds", preview.rows) { row, object in
        object.member("kind", row.kind.label)
        object.member("records", row.records)
        object.member("entities", row.entities)
      }
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
