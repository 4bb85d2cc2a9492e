import EventSourcing
import JSONEnvelope
import SupportDomain

extension SupportRendering {
  /// What another helpdesk is told, in the envelope of Standard Webhooks.
  ///
  /// ```
  /// {"type":"support.request.commented","timestamp":"2026-11-20T22:45:00Z","data":{"request":{…},"comment":{…}}}
  /// ```
  static func event(
    _ report: SupportReport, _ view: SupportRequestView, comment: SupportComment?, at time: Timestamp, base: String
  ) -> [UInt8] {
    JSONWriter.exactObject(capacity: 1_024) { event in
      event.member("type", report.eventName)
      event.member("timestamp", time.iso8601)
      event.object("data") { data in
        data.object("request") { request(view, includes: [], for: .agent, base: base, into: &$0) }
        if let comment {
          data.object("comment") { self.comment(comment, of: view.number, base: base, into: &$0) }
        }
      }
    }
  }
}

extension SupportReport {
  /// The `type` of the body.
  package var eventName: String { "support.request.\(self)" }
}
