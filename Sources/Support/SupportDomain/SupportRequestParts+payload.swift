public import EventSourcing

// The parts of a request as events and states hold them. Field numbers are frozen: never change one, never use one
// again.

extension SupportRequestTerms: PayloadPart {
  private enum Field {
    static let requester = PayloadField<Int64>(1)
    static let channel = PayloadField<SupportChannel>(2)
    static let app = PayloadField<String>(3)
    static let subject = PayloadField<String>(4)
    static let formID = PayloadField<Int64>(5)
    static let metadata = PayloadField<[UInt8]>(6)
    static let transcript = PayloadField<SupportTranscript>(7)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.requester, requester)
    writer.put(Field.channel, channel)
    writer.put(Field.app, ifPresent: app)
    writer.put(Field.subject, subject)
    writer.put(Field.formID, ifPresent: formID)
    writer.put(Field.metadata, ifPresent: metadata)
    writer.put(Field.transcript, ifPresent: transcript)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      requester: try read.required(Field.requester), channel: try read.required(Field.channel),
      app: try read[Field.app], subject: try read.required(Field.subject), formID: try read[Field.formID],
      metadata: try read[Field.metadata], transcript: try read[Field.transcript])
  }
}

extension SupportTranscript: PayloadPart {
  private enum Field {
    static let serviceID = PayloadField<String>(1)
    static let chatID = PayloadField<String>(2)
    static let position = PayloadField<Count>(3)
    /// The service's name; absent in older records.
    static let service = PayloadField<String>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.serviceID, serviceID)
    writer.put(Field.chatID, chatID)
    writer.put(Field.position, position)
    writer.put(Field.service, ifPresent: service)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      serviceID: try read.required(Field.serviceID), chatID: try read.required(Field.chatID),
      position: try read.required(Field.position), service: try read[Field.service])
  }
}

extension SupportComment: PayloadPart {
  private enum Field {
    static let number = PayloadField<Count>(1)
    static let author = PayloadField<Int64>(2)
    static let role = PayloadField<SupportRole>(3)
    static let isPublic = PayloadField<Bool>(4)
    static let body = PayloadField<String>(5)
    static let attachments = PayloadField<SupportAttachment>(6)
    static let createdAt = PayloadField<Timestamp>(7)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.author, author)
    writer.put(Field.role, role)
    writer.put(Field.isPublic, ifTrue: isPublic)
    writer.put(Field.body, body)
    writer.put(each: Field.attachments, attachments)
    writer.put(Field.createdAt, createdAt)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let attachments = try read.all(Field.attachments)
    self.init(
      number: try read.required(Field.number), author: try read.required(Field.author),
      role: try read.required(Field.role), isPublic: try read[Field.isPublic] ?? false,
      body: try read.required(Field.body), attachments: attachments, createdAt: try read.required(Field.createdAt))
  }
}

extension SupportAttachment: PayloadPart {
  private enum Field {
    static let token = PayloadField<String>(1)
    static let fileName = PayloadField<String>(2)
    static let contentType = PayloadField<String>(3)
    static let size = PayloadField<Count>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.token, token)
    writer.put(Field.fileName, fileName)
    writer.put(Field.contentType, contentType)
    writer.put(Field.size, size)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      token: try read.required(Field.token), fileName: try read.required(Field.fileName),
      contentType: try read.required(Field.contentType), size: try read.required(Field.size))
  }
}

extension SupportField: PayloadPart {
  private enum Field {
    static let id = PayloadField<Int64>(1)
    static let value = PayloadField<[UInt8]>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.value, value)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), value: try read.required(Field.value))
  }
}

extension SupportDuty: PayloadPart {
  private enum Field {
    static let number = PayloadField<Count>(1)
    /// Absent: a report of no comment.
    static let comment = PayloadField<Count>(2)
    /// To notify. With neither this nor a report it is files that are to be kept.
    static let part = PayloadField<SupportPartDraft>(3)
    static let report = PayloadField<SupportReport>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    switch kind {
    case .notify(let comment, let part):
      writer.put(Field.comment, comment)
      writer.put(Field.part, part)
    case .report(let report, let comment):
      writer.put(Field.comment, ifPresent: comment)
      writer.put(Field.report, report)
    case .keepFiles(let comment): writer.put(Field.comment, comment)
    }
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let kind: Kind =
      if let report = try read[Field.report] {
        .report(report, comment: try read[Field.comment])
      } else if let part = try read[Field.part] {
        .notify(comment: try read.required(Field.comment), part)
      } else {
        .keepFiles(comment: try read.required(Field.comment))
      }
    self.init(number: try read.required(Field.number), kind: kind)
  }
}

extension SupportPartDraft: PayloadPart {
  private enum Field {
    static let integration = PayloadField<SupportIntegration>(1)
    static let devices = PayloadField<Packed<Count>>(2)
    /// Absent: the app's default.
    static let language = PayloadField<String>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.integration, integration)
    writer.put(Field.devices, devices)
    writer.put(Field.language, ifPresent: language)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      integration: try read.required(Field.integration), devices: try read.all(Field.devices),
      language: try read[Field.language])
  }
}
