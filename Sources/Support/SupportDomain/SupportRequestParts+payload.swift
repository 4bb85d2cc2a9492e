import EventSourcing

// The parts of a request as events and states hold them. Field numbers are frozen: never change one, never use one
// again.

/// Requester 1, channel 2, app 3 (absent: none), subject 4, form 5 (absent: none), metadata 6 (absent: none),
/// transcript 7 (absent: none).
extension SupportRequestTerms: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.signed(1, requester)
    writer.code(2, channel)
    writer.text(3, ifPresent: app)
    writer.text(4, subject)
    writer.signed(5, ifPresent: formID)
    writer.data(6, ifPresent: metadata)
    writer.part(7, transcript)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var requester: Int64?, channel: SupportChannel?, app: String?, subject: String?, formID: Int64?
    var metadata: [UInt8]?, transcript: SupportTranscript?
    while let field = try payload.next() {
      switch field {
      case 1: requester = try payload.signed()
      case 2: channel = try payload.code(field)
      case 3: app = try payload.text()
      case 4: subject = try payload.text()
      case 5: formID = try payload.signed()
      case 6: metadata = try payload.data()
      case 7: transcript = try payload.part()
      default: try payload.skip()
      }
    }
    self.init(
      requester: try requester.required(1), channel: try channel.required(2), app: app,
      subject: try subject.required(4), formID: formID, metadata: metadata, transcript: transcript)
  }
}

/// Service id 1, chat 2, position 3, the service's name 4 (absent in older records).
extension SupportTranscript: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, serviceID)
    writer.text(2, chatID)
    writer.integer(3, position)
    writer.text(4, ifPresent: service)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var serviceID: String?, chatID: String?, position: Int?, service: String?
    while let field = try payload.next() {
      switch field {
      case 1: serviceID = try payload.text()
      case 2: chatID = try payload.text()
      case 3: position = try payload.count(field)
      case 4: service = try payload.text()
      default: try payload.skip()
      }
    }
    self.init(
      serviceID: try serviceID.required(1), chatID: try chatID.required(2), position: try position.required(3),
      service: service)
  }
}

/// Number 1, author 2, role 3, public 4 (absent: no), body 5, attachment 6…, created at 7.
extension SupportComment: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, number)
    writer.signed(2, author)
    writer.code(3, role)
    writer.bool(4, ifTrue: isPublic)
    writer.text(5, body)
    writer.parts(6, attachments)
    writer.time(7, createdAt)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var number: Int?, author: Int64?, role: SupportRole?, body: String?, createdAt: Timestamp?
    var isPublic = false
    var attachments: [SupportAttachment] = []
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.count(field)
      case 2: author = try payload.signed()
      case 3: role = try payload.code(field)
      case 4: isPublic = try payload.bool()
      case 5: body = try payload.text()
      case 6: attachments.append(try payload.part())
      case 7: createdAt = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(
      number: try number.required(1), author: try author.required(2), role: try role.required(3), isPublic: isPublic,
      body: try body.required(5), attachments: attachments, createdAt: try createdAt.required(7))
  }
}

/// Token 1, file name 2, content type 3, size 4.
extension SupportAttachment: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, token)
    writer.text(2, fileName)
    writer.text(3, contentType)
    writer.integer(4, size)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var token: String?, fileName: String?, contentType: String?, size: Int?
    while let field = try payload.next() {
      switch field {
      case 1: token = try payload.text()
      case 2: fileName = try payload.text()
      case 3: contentType = try payload.text()
      case 4: size = try payload.count(field)
      default: try payload.skip()
      }
    }
    self.init(
      token: try token.required(1), fileName: try fileName.required(2), contentType: try contentType.required(3),
      size: try size.required(4))
  }
}

/// Id 1, value 2.
extension SupportField: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.signed(1, id)
    writer.data(2, value)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var id: Int64?, value: [UInt8]?
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.signed()
      case 2: value = try payload.data()
      default: try payload.skip()
      }
    }
    self.init(id: try id.required(1), value: try value.required(2))
  }
}

/// Number 1, comment 2 (absent: a report of no comment), and one of: part 3 (to notify), report 4, neither (to keep
/// files).
extension SupportDuty: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, number)
    switch kind {
    case .notify(let comment, let part):
      writer.integer(2, comment)
      writer.part(3, part)
    case .report(let report, let comment):
      writer.integer(2, ifPresent: comment)
      writer.code(4, report)
    case .keepFiles(let comment):
      writer.integer(2, comment)
    }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var number: Int?, comment: Int?, part: SupportPartDraft?, report: SupportReport?
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.count(field)
      case 2: comment = try payload.count(field)
      case 3: part = try payload.part()
      case 4: report = try payload.code(field)
      default: try payload.skip()
      }
    }
    let kind: Kind =
      if let report {
        .report(report, comment: comment)
      } else if let part {
        .notify(comment: try comment.required(2), part)
      } else {
        .keepFiles(comment: try comment.required(2))
      }
    self.init(number: try number.required(1), kind: kind)
  }
}

/// Integration 1, devices 2 (packed), language 3 (absent: the app's default).
extension SupportPartDraft: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.code(1, integration)
    writer.counts(2, devices)
    writer.text(3, ifPresent: language)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var integration: SupportIntegration?, language: String?
    var devices: [Int] = []
    while let field = try payload.next() {
      switch field {
      case 1: integration = try payload.code(field)
      case 2: devices += try payload.counts(field)
      case 3: language = try payload.text()
      default: try payload.skip()
      }
    }
    self.init(integration: try integration.required(1), devices: devices, language: language)
  }
}
