internal import JSONEnvelope

/// What goes, and in which order, when a payload is too long. Ids are never touched. Spec: GMS 7.3, providers 2.6.
///
/// The transcript's oldest entries, the text of its last one, that entry; the title; the end of the alert's text; the
/// inner `message.message` (and with its bytes as much of the alert as fits again).
extension APNsPayload {
  /// The JSON text, shortened where it has to be; nil if even its fixed part is too long.
  func fittedBytes() -> [UInt8]? {
    var payload = self
    // Written once in most cases.
    let whole = payload.bytes
    if whole.count <= bytesMaximum { return whole }
    payload.shortenTranscript()
    if payload.isFitting { return payload.bytes }
    payload.look.title = nil
    payload.look.subtitle = nil
    if payload.isFitting { return payload.bytes }
    if let fitting = payload.withShorterBody() { return fitting.bytes }
    guard payload.dropInnerText() else { return nil }
    if payload.isFitting { return payload.bytes }
    return payload.withShorterBody()?.bytes
  }

  private func withShorterBody() -> APNsPayload? {
    guard let body = look.body else { return nil }
    var candidate = self
    let shortened = PushText.shortened(body) { text in
      candidate.look.body = text
      return candidate.isFitting
    }
    guard let shortened else { return nil }
    candidate.look.body = shortened
    return candidate
  }

  /// Does what can be done with `lastTranscript`, whether it is enough or not.
  private mutating func shortenTranscript() {
    guard case .message(let content, let asString) = own, let message = try? JSONValue(parsing: content).object
    else { return }
    var candidate = self
    let lean = message.withLessTranscript(marked: true) { message in
      candidate.own = .message(JSONValue.object(message).text, asString: asString)
      return candidate.isFitting
    }
    if lean != message { own = .message(JSONValue.object(lean).text, asString: asString) }
  }

  /// The alert says the same.
  private mutating func dropInnerText() -> Bool {
    guard case .message(let content, let asString) = own else { return false }
    guard var message = try? JSONValue(parsing: content).object else {
      own = .nothing
      return true
    }
    guard message["message"] != nil else { return false }
    message["message"] = nil
    own = message.isEmpty ? .nothing : .message(JSONValue.object(message).text, asString: asString)
    return true
  }
}
