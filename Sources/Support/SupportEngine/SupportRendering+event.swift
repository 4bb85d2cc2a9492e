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
    var writer = JSONWriter(capacity: 1_024)
    writer.beginObject()
    writer.key("type")
    writer.string(report.eventName)
    writer.key("timestamp")
    writer.string(time.iso8601)
    writer.key("data")
    writer.beginObject()
    writer.key("request")
    request(view, includes: [], for: .agent, base: base, into: &writer)
    if let comment {
      writer.key("comment")
      self.comment(comment, of: view.number, base: base, into: &writer)
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes.withUnsafeBufferPointer { Array($0) }
  }
}

extension SupportReport {
  /// The `type` of the body.
  package var eventName: String { "support.request.\(self)" }
}
