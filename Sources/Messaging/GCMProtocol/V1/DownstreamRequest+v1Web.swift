import JSONEnvelope
import PushDomain

/// The block `webpush`, for browsers' pages only. Spec: GCM E3; RFC 8030.
extension DownstreamRequest {
  private static let urgencies = ["very-low", "low", "normal", "high"]

  mutating func readWebPush(_ webPush: V1Fields, _ keys: JSONObject) throws(DownstreamRefusal) {
    data = try Self.data(webPush) ?? data
    analyticsLabel = try Self.analyticsLabel(webPush) ?? analyticsLabel
    // Whatever a browser's `showNotification` takes.
    var shown = keys
    for member in try webPush.fields("notification").object.members where !member.value.isNull {
      shown[member.name] = member.value
    }
    notification = Self.pairs(shown)
    if !shown.isEmpty { pageNotification = JSONValue.object(shown).plainText }
    var options = JSONObject()
    if let link = Self.unlessEmpty(try webPush.fields("fcm_options").string("link")) { options["link"] = .string(link) }
    // A page is told of it here, and not among its data.
    if let label = analyticsLabel { options["analytics_label"] = .string(label) }
    analyticsLabel = nil
    if !options.isEmpty { pageOptions = JSONValue.object(options).plainText }
    let headers = try Self.headers(webPush)
    collapseKey = Self.unlessEmpty(headers["topic"])
    if let text = headers["urgency"]?.lowercased() {
      guard Self.urgencies.contains(text) else {
        throw webPush.invalid("headers", "\"Urgency\" is one of \(Self.urgencies.joined(separator: ", "))")
      }
      priority = text == "high" ? .high : .normal
    }
    if let text = headers["ttl"] {
      guard let seconds = Int(text), seconds >= 0 else { throw webPush.invalid("headers", "\"TTL\" is not a number") }
      timeToLive = min(seconds, DownstreamLimits.timeToLiveMaximum)
    }
    try Self.checkSize(self, of: webPush)
  }
}
