/// What a packed segment keeps of each frame's header: some seven bytes instead of 88 (`FORMAT.md`, "Packed segment").
enum PackedRows {
  private static let epochFollows: UInt8 = 0x80
  private static let kept: FrameHeader.Flags = [.confirming, .seal]

  /// What the row of a frame is counted from: the frame before, or what the block's header says.
  struct Base {
    var nextPosition: UInt64
    var timeMilliseconds: Int64
    var epoch: UInt32
  }

  /// Appends the row of `header` to `rows` and moves `base` behind that frame.
  static func append(_ header: FrameHeader, to rows: inout ByteStore, _ base: inout Base) {
    let start = rows.reserve(PackedBlock.rowByteCountMaximum)
    let changesEpoch = header.epoch != base.epoch
    let flags = header.flags.intersection(kept).rawValue | (changesEpoch ? epochFollows : 0)
    start.storeBytes(of: flags, as: UInt8.self)
    var place = Varint.write(UInt64(header.recordCount), to: start + 1)
    if !header.isEmpty { place = Varint.write(UInt64(header.plainByteCount), to: place) }
    place = Varint.write(Varint.zigzag(header.timeMilliseconds &- base.timeMilliseconds), to: place)
    // A frame's durable position is below its first.
    place = Varint.write(header.firstPosition - 1 - header.durablePosition, to: place)
    if changesEpoch { place = Varint.write(UInt64(header.epoch), to: place) }
    rows.advance(place - start)
    base = Base(nextPosition: header.endPosition, timeMilliseconds: header.timeMilliseconds, epoch: header.epoch)
  }

  /// Reads one row at `offset` as the header of a frame that begins a dictionary of its own and is not compressed.
  ///
  /// - Returns: without its chain hash; nil if a field is out of its bounds.
  static func read(_ rows: UnsafeRawBufferPointer, _ offset: inout Int, _ base: inout Base) -> FrameHeader? {
    guard let bytes = rows.baseAddress, offset < rows.count else { return nil }
    let byte = rows[offset]
    offset += 1
    let flags = FrameHeader.Flags(rawValue: byte & ~epochFollows)
    guard flags.isSubset(of: kept), let count = Varint.read(bytes, &offset, end: rows.count),
      count <= UInt64(FormatLimits.frameRecordCountMaximum)
    else { return nil }
    var plain: UInt64 = 0
    if count > 0 {
      guard let length = Varint.read(bytes, &offset, end: rows.count),
        length <= UInt64(FormatLimits.frameReadPlainByteCountMaximum)
      else { return nil }
      plain = length
    }
    guard let delta = Varint.read(bytes, &offset, end: rows.count),
      let lag = Varint.read(bytes, &offset, end: rows.count), base.nextPosition > 0, lag < base.nextPosition,
      base.nextPosition <= UInt64.max - count
    else { return nil }
    if byte & epochFollows != 0 {
      guard let value = Varint.read(bytes, &offset, end: rows.count), let epoch = UInt32(exactly: value) else {
        return nil
      }
      base.epoch = epoch
    }
    base.timeMilliseconds &+= Varint.unzigzag(delta)
    let header = FrameHeader(
      bodyByteCount: Int(count) * FormatLimits.saltByteCount + Int(plain), plainByteCount: Int(plain),
      recordCount: Int(count), codec: .raw, flags: count > 0 ? flags.union(.restart) : flags,
      firstPosition: base.nextPosition, timeMilliseconds: base.timeMilliseconds,
      durablePosition: base.nextPosition - 1 - lag, durableOffset: 0, epoch: base.epoch, chainHash: .zero)
    base.nextPosition = header.endPosition
    return header.isConsistent ? header : nil
  }
}
