import JSONEnvelope

/// Makes events: what the server sends of its own accord.
public enum BayeuxEvent {
  /// The JSON text of one event. It is made once and shared by all sessions that get it.
  /// - Parameter data: JSON text.
  public static func message(channel: String, data: [UInt8]) -> [UInt8] {
    JSONWriter.object(capacity: data.count + channel.utf8.count + 32) { event in
      event.member("channel", channel)
      event.member("data", RawJSON(data))
    }
  }
}
