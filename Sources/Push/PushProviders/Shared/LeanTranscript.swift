internal import JSONEnvelope

/// Making a chat push message smaller by its transcript. Spec: GMS 7.2, 7.3, providers 2.6.
extension JSONObject {
  /// This message without the oldest entries of `lastTranscript`, then with less of the newest one's text, then without
  /// it: the first of these that fits, or the last.
  /// - Parameters:
  ///   - marked: the message says `"truncated":true` if anything is missing.
  ///   - fits: monotone: what fits still fits when it is shorter.
  func withLessTranscript(marked: Bool, fits: (JSONObject) -> Bool) -> JSONObject {
    guard var entries = self["lastTranscript"]?.array, !entries.isEmpty else { return self }
    func with(_ entries: [JSONValue]) -> JSONObject {
      var message = self
      message["lastTranscript"] = entries.isEmpty ? nil : .array(entries)
      if marked { message["truncated"] = true }
      return message
    }
    while entries.count > 1 {
      entries.removeFirst()
      let message = with(entries)
      if fits(message) { return message }
    }
    let shorter = entries[0].withShorterText { fits(with([$0])) }
    return with(shorter.map { [$0] } ?? [])
  }
}

extension JSONValue {
  /// An entry of `lastTranscript`, `{"Message.Text":"…"}`, with the longest beginning of its text that fits; nil if
  /// none does.
  fileprivate func withShorterText(fits: (JSONValue) -> Bool) -> JSONValue? {
    guard var entry = object, let member = entry.members.first, let text = member.value.string else { return nil }
    let shortened = PushText.shortened(text) { text in
      entry[member.name] = .string(text)
      return fits(.object(entry))
    }
    guard let shortened else { return nil }
    entry[member.name] = .string(shortened)
    return .object(entry)
  }
}
