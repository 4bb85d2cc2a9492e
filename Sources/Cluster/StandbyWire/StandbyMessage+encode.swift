import JournalFormat

extension StandbyMessage {
  /// Appends the message as it goes over the wire.
  ///
  /// The fields are within `StandbyLimits`: paths and versions as the manifest has them, bytes at most a piece.
  public func append(to output: inout [UInt8]) {
    var payload: [UInt8] = []
    write(to: &payload)
    precondition(payload.count <= StandbyLimits.payloadByteCountMaximum, "a message is within its bounds")
    let start = output.count
    output.append(kind.rawValue)
    Varint.append(UInt64(payload.count), to: &output)
    output.append(contentsOf: payload)
    let checksum = output.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: $0[start...]).checksum(seed: 0)
    }
    withUnsafeBytes(of: checksum.littleEndian) { output.append(contentsOf: $0) }
  }

  private func write(to payload: inout [UInt8]) {
    switch self {
    case .hello(let hello):
      Varint.append(Self.wireVersion, to: &payload)
      Varint.append(hello.identity.oldestSegment, to: &payload)
      payload.append(id: hello.identity.oldestID)
      Varint.append(UInt64(hello.epoch), to: &payload)
      payload.append(place: hello.place)
      Varint.append(hello.position, to: &payload)
    case .bytes(let place, let bytes):
      payload.reserveCapacity(StandbyLimits.fieldsByteCountMaximum + bytes.count)
      payload.append(place: place)
      payload.append(contentsOf: bytes)
    case .mark(let mark):
      payload.append(place: mark.place)
      Varint.append(mark.position, to: &payload)
      Varint.append(Varint.zigzag(mark.timeMilliseconds), to: &payload)
      Varint.append(UInt64(mark.epoch), to: &payload)
    case .sealed(let segment, let fileByteCount, let version):
      payload.append(place: StandbyPlace(segment: segment, offset: fileByteCount))
      payload.append(text: version)
    case .changed: break
    case .file(let file):
      payload.append(text: file.path)
      Varint.append(UInt64(file.byteCount), to: &payload)
      payload.append(text: file.version)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(place: StandbyPlace) {
    Varint.append(place.segment, to: &self)
    Varint.append(UInt64(place.offset), to: &self)
  }

  fileprivate mutating func append(id: SegmentID) {
    for word in [id.high, id.low] { Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) } }
  }

  fileprivate mutating func append(text: String) {
    let bytes = Array(text.utf8)
    Varint.append(UInt64(bytes.count), to: &self)
    append(contentsOf: bytes)
  }
}
