public import EventSourcing

/// The state of a request as snapshots and restatements hold it. Field numbers are frozen.
extension SupportRequest: RestorableState {
  private enum Field {
    /// Absent: no event yet, or erased.
    static let terms = PayloadField<SupportRequestTerms>(1)
    /// Always written.
    static let status = PayloadField<SupportStatus>(2)
    static let tags = PayloadField<String>(3)
    static let fields = PayloadField<SupportField>(4)
    static let assignee = PayloadField<Int64>(5)
    static let comments = PayloadField<SupportComment>(6)
    static let createdAt = PayloadField<Timestamp>(7)
    static let updatedAt = PayloadField<Timestamp>(8)
    static let publicUpdatedAt = PayloadField<Timestamp>(9)
    static let version = PayloadField<Count>(10)
    static let publicVersion = PayloadField<Count>(11)
    static let reads = PayloadField<Read>(12)
    static let waiting = PayloadField<WaitingNotice>(13)
    static let duties = PayloadField<SupportDuty>(14)
    static let highestDuty = PayloadField<Count>(15)
    /// Token of a file that is to be dropped.
    static let orphans = PayloadField<String>(16)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.terms, ifPresent: terms)
    writer.put(Field.status, status)
    writer.put(each: Field.tags, tags)
    writer.put(each: Field.fields, fields)
    writer.put(Field.assignee, ifPresent: assignee)
    writer.put(each: Field.comments, comments)
    writer.put(Field.createdAt, createdAt)
    writer.put(Field.updatedAt, updatedAt)
    writer.put(Field.publicUpdatedAt, publicUpdatedAt)
    writer.put(Field.version, version)
    writer.put(Field.publicVersion, publicVersion)
    writer.put(each: Field.reads, reads)
    writer.put(each: Field.waiting, waiting)
    writer.put(each: Field.duties, duties)
    writer.put(Field.highestDuty, highestDuty)
    writer.put(each: Field.orphans, orphans)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    terms = try read[Field.terms]
    status = try read.required(Field.status)
    tags = try read.all(Field.tags)
    fields = try read.all(Field.fields)
    assignee = try read[Field.assignee]
    comments = try read.all(Field.comments)
    createdAt = try read[Field.createdAt] ?? .epoch
    updatedAt = try read[Field.updatedAt] ?? .epoch
    publicUpdatedAt = try read[Field.publicUpdatedAt] ?? .epoch
    version = try read[Field.version] ?? 0
    publicVersion = try read[Field.publicVersion] ?? 0
    reads = try read.all(Field.reads)
    waiting = try read.all(Field.waiting)
    duties = try read.all(Field.duties)
    highestDuty = try read[Field.highestDuty] ?? 0
    orphans = try read.all(Field.orphans)
  }

  /// Awake while something is to go out.
  public var rest: Rest {
    duties.isEmpty && waiting.isEmpty && orphans.isEmpty ? .asleep(until: nil) : .wakeful
  }
}

extension SupportRequest.Read: PayloadPart {
  private enum Field {
    static let comment = PayloadField<Count>(1)
    /// Absent: the requester as such.
    static let device = PayloadField<Count>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.comment, comment)
    writer.put(Field.device, ifPresent: device)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      device: try read[Field.device], comment: try read.required(Field.comment))
  }
}

extension SupportRequest.WaitingNotice: PayloadPart {
  private enum Field {
    static let comment = PayloadField<Count>(1)
    static let at = PayloadField<Timestamp>(2)
    static let refreshed = PayloadField<Packed<Count>>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.comment, comment)
    writer.put(Field.at, at)
    writer.put(Field.refreshed, refreshed)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      comment: try read.required(Field.comment), at: try read.required(Field.at),
      refreshed: try read.all(Field.refreshed))
  }
}
