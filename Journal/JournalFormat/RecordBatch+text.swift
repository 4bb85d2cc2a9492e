extension RecordBatch {
  /// Encodes one record whose key is text.
  ///
  /// - Throws: as the other `append`.
  public mutating func append(
    kind: UInt8, key: String, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16, payload: [UInt8]
  ) throws(RecordRejection) {
    var key = key
    // The closures below do not carry typed errors through, so the rejection does.
    var rejection: RecordRejection?
    key.withUTF8 { keyBytes in
      payload.withUnsafeBytes { payloadBytes in
        do throws(RecordRejection) {
          try append(
            kind: kind, key: UnsafeRawBufferPointer(keyBytes), sequence: sequence, timeMilliseconds: timeMilliseconds,
            tag: tag, payload: payloadBytes)
        } catch {
          rejection = error
        }
      }
    }
    if let rejection { throw rejection }
  }
}
