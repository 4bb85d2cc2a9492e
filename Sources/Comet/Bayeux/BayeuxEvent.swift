import JSONEnvelope

/// Makes events: what the server sends of its own accord.
public enum BayeuxEvent {
  /// The JSON text of one event. It is made once and shared by all sessions that get it.
  /// - Parameters:
  ///   - data: JSON text.
  ///   - ext: JSON text of an object, nil if there is none: see `shared`.
  public static func message(channel: String, data: [UInt8], ext: [UInt8]? = nil) -> [UInt8] {
    JSONWriter.object(capacity: data.count + (ext?.count ?? 0) + channel.utf8.count + 40) { event in
      event.member("channel", channel)
      event.member("data", RawJSON(data))
      event.member("ext", ifPresent: ext.map { RawJSON($0) })
    }
  }

  /// What others may see of the `ext` that a publisher has sent: without what it says to the server of itself, its proof
  /// first of all. Nil if nothing is left, or if it is no object.
  public static func shared(ext: [UInt8]?) -> [UInt8]? {
    guard let ext, let object = (try? JSONValue(parsing: ext))?.object else { return nil }
    let others = object.members.filter { !BayeuxMessage.ownExtensions.contains($0.name) }
    guard !others.isEmpty else { return nil }
    return JSONWriter.object(capacity: ext.count) { writer in
      for member in others { writer.member(named: member.name, member.value) }
    }
  }
}
