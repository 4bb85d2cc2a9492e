public import JSONEnvelope

/// A standby's word that it has synced all bytes up to a place.
public struct StandbyAcknowledgement: Sendable, Equatable {
  /// The standby's name, the same as on its stream.
  public var name: StandbyName
  public var place: StandbyPlace
  /// Of the last record before that place.
  public var position: UInt64

  public init(name: StandbyName, place: StandbyPlace, position: UInt64) {
    self.name = name
    self.place = place
    self.position = position
  }
}

extension StandbyAcknowledgement: JSONWritable {
  public func write(into writer: inout JSONWriter) {
    writer.object { body in
      body.member("standby", name.text)
      body.member("segment", place.segment)
      body.member("offset", place.offset)
      body.member("position", position)
    }
  }

  /// - Throws: `document`.
  public init(parsing bytes: [UInt8]) throws(StandbyWireError) {
    let body = try JSONObject(document: bytes, atMost: StandbyLimits.acknowledgementByteCountMaximum)
    guard let name = body["standby"]?.string.flatMap({ StandbyName($0) }) else { throw .document }
    self.init(name: name, place: try body.place(), position: try body.number("position"))
  }
}

/// The name under which a primary knows a standby: of its own choice, the same for as long as its directory lives.
public struct StandbyName: Sendable, Hashable {
  public let text: String

  /// - Parameter text: 1 to 64 letters, digits, `.`, `_` and `-`; nil if it is anything else.
  public init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || [45, 46, 95].contains(byte)
    }
    guard isPlain, (1...StandbyLimits.nameByteCountMaximum).contains(text.utf8.count) else { return nil }
    self.text = text
  }
}
