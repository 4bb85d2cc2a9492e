import JSONEnvelope

/// Makes events: what the server sends of its own accord.
public enum BayeuxEvent {
  /// The JSON text of one event. It is made once and shared by all sessions that get it.
  /// - Parameter data: JSON text.
  public static func message(channel: String, data: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: data.count + channel.utf8.count + 32)
    writer.beginObject()
    writer.key("channel")
    writer.string(channel)
    writer.key("data")
    writer.raw(data)
    writer.endObject()
    return writer.bytes
  }
}
