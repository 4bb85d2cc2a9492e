public import JSONEnvelope
public import JournalFormat

/// What a primary has on its disk: one page of it, in the order of paths.
///
/// A file may change while pages are read: then its version is refused when it is fetched, and the manifest is read
/// again.
public struct StandbyManifest: Sendable, Equatable {
  /// A segment with the file in which it lies.
  public struct Segment: Sendable, Equatable {
    public var id: SegmentID
    public var file: StandbyFile
    /// Nothing will be added to it; the others come over the stream.
    public var isSealed: Bool

    public init(id: SegmentID, file: StandbyFile, isSealed: Bool) {
      (self.id, self.file, self.isSealed) = (id, file, isSealed)
    }

    /// From 1.
    public var number: UInt64 {
      guard case .segment(let number, _, _) = file.place else {
        preconditionFailure("a segment lies in a segment's file")
      }
      return number
    }
  }

  public var identity: JournalIdentity
  public var epoch: UInt32
  /// The end of what was on the primary's disk when this was made; all files of this page know no more than that.
  public var place: StandbyPlace
  /// Of the last record on the primary's disk.
  public var position: UInt64
  public var segments: [Segment]
  /// All others.
  public var files: [StandbyFile]
  /// The path behind which the next page begins; nil on the last one.
  public var next: StandbyPath?

  public init(
    identity: JournalIdentity, epoch: UInt32, place: StandbyPlace, position: UInt64, segments: [Segment],
    files: [StandbyFile], next: StandbyPath?
  ) {
    self.identity = identity
    self.epoch = epoch
    self.place = place
    self.position = position
    self.segments = segments
    self.files = files
    self.next = next
  }
}

extension StandbyManifest: JSONWritable {
  public func write(into writer: inout JSONWriter) {
    writer.object { body in
      body.object("journal") { journal in
        journal.member("oldest_segment", identity.oldestSegment)
        journal.member("oldest_id", identity.oldestID.hexadecimal)
      }
      body.member("epoch", epoch)
      body.member("segment", place.segment)
      body.member("offset", place.offset)
      body.member("position", position)
      body.objects("segments", segments) { segment, object in
        object.member("number", segment.number)
        object.member("id", segment.id.hexadecimal)
        object.member("is_sealed", segment.isSealed)
        Self.write(segment.file, to: &object)
      }
      body.objects("files", files) { file, object in Self.write(file, to: &object) }
      body.member("next", ifPresent: next?.text)
    }
  }

  private static func write(_ file: StandbyFile, to object: inout JSONObjectWriter) {
    object.member("path", file.path)
    object.member("size", file.byteCount)
    object.member("version", file.version)
  }
}

extension StandbyManifest {
  /// - Throws: `document` if it is not one, or if a path in it is none that a standby copies.
  public init(parsing bytes: [UInt8]) throws(StandbyWireError) {
    let body = try JSONObject(document: bytes, atMost: StandbyLimits.manifestByteCountMaximum)
    guard let journal = body["journal"]?.object, let segments = body["segments"]?.array,
      let files = body["files"]?.array,
      segments.count + files.count <= StandbyLimits.manifestPageCountMaximum
    else { throw .document }
    let oldest = try journal.number("oldest_segment", atLeast: 1)
    self.init(
      identity: JournalIdentity(oldestSegment: oldest, oldestID: try journal.segmentID("oldest_id")),
      epoch: try body.epoch("epoch"), place: try body.place(), position: try body.number("position"),
      segments: [], files: [], next: nil)
    for value in segments {
      guard let object = value.object, let isSealed = object["is_sealed"]?.bool else { throw .document }
      let (file, number) = (try object.file(), try object.number("number"))
      guard case .segment(number, _, _) = file.place else { throw .document }
      self.segments.append(Segment(id: try object.segmentID("id"), file: file, isSealed: isSealed))
    }
    for value in files {
      guard let file = try value.object?.file() else { throw .document }
      if case .segment = file.place { throw .document }
      self.files.append(file)
    }
    guard let text = body["next"] else { return }
    guard let next = text.string.flatMap({ StandbyPath($0) }) else { throw .document }
    self.next = next
  }
}
