import JSONEnvelope

/// Reads a request body or a WebSocket frame.
///
/// Only the fields that the protocol or the chat knows are decoded. Unknown ones are checked and skipped, one of the
/// wrong kind counts as absent, and of a repeated one the last counts. Spec: Bayeux 1.0, "Protocol Elements".
public enum BayeuxDecoder {
  /// An array of messages, or one bare message; never an empty list. More than `messagesMaximum` are to be refused one
  /// by one.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: BayeuxLimits = BayeuxLimits()
  ) throws(BayeuxDecodingError) -> [BayeuxMessage] {
    let outcome: Result<[BayeuxMessage], BayeuxDecodingError>
    do throws(JSONError) {
      var reader = BayeuxReader(scanner: try JSONScanner(bytes, limits: limits.json), limits: limits)
      let messages = try reader.messages()
      outcome = reader.refusal.map { .failure($0) } ?? .success(messages)
    } catch {
      outcome = .failure(.malformed(error))
    }
    return try outcome.get()
  }

  public static func decode(
    _ bytes: [UInt8], limits: BayeuxLimits = BayeuxLimits()
  ) throws(BayeuxDecodingError) -> [BayeuxMessage] {
    let outcome = bytes.withUnsafeBytes { buffer in
      Result { () throws(BayeuxDecodingError) -> [BayeuxMessage] in try decode(buffer, limits: limits) }
    }
    return try outcome.get()
  }
}
