public import EventSourcing

/// The state of a request as snapshots and restatements hold it. Field numbers are frozen.
///
/// | field | content |
/// |---|---|
/// | 1 | terms (absent: no event yet, or erased) |
/// | 2 | status (always written) |
/// | 3 | tag… |
/// | 4 | field… |
/// | 5 | assignee (absent: none) |
/// | 6 | comment… |
/// | 7 | created at |
/// | 8 | changed at |
/// | 9 | changed for its requester at |
/// | 10 | version |
/// | 11 | version for its requester |
/// | 12 | read…: comment 1, device 2 (absent: the requester as such) |
/// | 13 | waiting…: comment 1, at 2, refreshed 3 (packed) |
/// | 14 | duty… |
/// | 15 | highest duty |
/// | 16 | token of a file that is to be dropped… |
extension SupportRequest: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.part(1, terms)
    writer.code(2, status)
    writer.texts(3, tags)
    writer.parts(4, fields)
    writer.signed(5, ifPresent: assignee)
    writer.parts(6, comments)
    writer.time(7, createdAt)
    writer.time(8, updatedAt)
    writer.time(9, publicUpdatedAt)
    writer.integer(10, version)
    writer.integer(11, publicVersion)
    writer.parts(12, reads)
    writer.parts(13, waiting)
    writer.parts(14, duties)
    writer.integer(15, highestDuty)
    writer.texts(16, orphans)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    var status: SupportStatus?
    while let field = try payload.next() {
      switch field {
      case 1: terms = try payload.part()
      case 2: status = try payload.code(field)
      case 3: tags.append(try payload.text())
      case 4: fields.append(try payload.part())
      case 5: assignee = try payload.signed()
      case 6: comments.append(try payload.part())
      case 7: createdAt = try payload.time()
      case 8: updatedAt = try payload.time()
      case 9: publicUpdatedAt = try payload.time()
      case 10: version = try payload.count(field)
      case 11: publicVersion = try payload.count(field)
      case 12: reads.append(try payload.part())
      case 13: waiting.append(try payload.part())
      case 14: duties.append(try payload.part())
      case 15: highestDuty = try payload.count(field)
      case 16: orphans.append(try payload.text())
      default: try payload.skip()
      }
    }
    self.status = try status.required(2)
  }

  /// Awake while something is to go out.
  public var rest: Rest {
    duties.isEmpty && waiting.isEmpty && orphans.isEmpty ? .asleep(until: nil) : .wakeful
  }
}

extension SupportRequest.Read: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, comment)
    writer.integer(2, ifPresent: device)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var comment: Int?, device: Int?
    while let field = try payload.next() {
      switch field {
      case 1: comment = try payload.count(field)
      case 2: device = try payload.count(field)
      default: try payload.skip()
      }
    }
    self.init(device: device, comment: try comment.required(1))
  }
}

extension SupportRequest.WaitingNotice: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, comment)
    writer.time(2, at)
    writer.counts(3, refreshed)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var comment: Int?, at: Timestamp?
    var refreshed: [Int] = []
    while let field = try payload.next() {
      switch field {
      case 1: comment = try payload.count(field)
      case 2: at = try payload.time()
      case 3: refreshed += try payload.counts(field)
      default: try payload.skip()
      }
    }
    self.init(comment: try comment.required(1), at: try at.required(2), refreshed: refreshed)
  }
}
