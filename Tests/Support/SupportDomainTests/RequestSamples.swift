import EventSourcing
import SupportDomain
import Testing

// Ann (7) asks, Bob (9) answers; Ann has devices 1 (iPhone, German) and 2 (Android).

extension SupportRequestTerms {
  static func of(_ channel: SupportChannel = .mobileSDK, app: String? = "mobile") -> SupportRequestTerms {
    SupportRequestTerms(requester: 7, channel: channel, app: app, subject: "The lamp is dark")
  }
}

extension SupportCommentDraft {
  static func ann(_ body: String = "Why?", files: Int = 0) -> SupportCommentDraft {
    .of(7, .endUser, body, files: files)
  }

  static func bob(_ body: String = "Because.", files: Int = 0, isPublic: Bool = true) -> SupportCommentDraft {
    .of(9, .agent, body, files: files, isPublic: isPublic)
  }

  private static func of(
    _ author: Int64, _ role: SupportRole, _ body: String, files: Int, isPublic: Bool = true
  ) -> SupportCommentDraft {
    var draft = SupportCommentDraft(author: author, role: role, body: body)
    draft.isPublic = isPublic
    draft.attachments = (0..<files).map { .sample("\(body)-\($0)") }
    return draft
  }
}

extension SupportAttachment {
  static func sample(_ token: String) -> SupportAttachment {
    SupportAttachment(token: token, fileName: "lamp.jpg", contentType: "image/jpeg", size: 4_711)
  }
}

extension SupportPartDraft {
  static let german = SupportPartDraft(integration: .webhook, devices: [1], language: "de")
  static let plain = SupportPartDraft(integration: .webhook, devices: [2], language: nil)
}

extension SupportNotice {
  /// - Parameters: in seconds.
  static func of(
    _ parts: [SupportPartDraft] = [.german, .plain], grace: Int = 0, coalescing: Int = 0, isOn: Bool = true
  ) -> SupportNotice {
    var notice = SupportNotice()
    notice.isOn = isOn
    notice.parts = parts
    notice.grace = .seconds(grace)
    notice.coalescing = .seconds(coalescing)
    return notice
  }
}

extension SupportField {
  init(_ id: Int64, _ json: String) { self.init(id: id, value: Array(json.utf8)) }
}

extension SupportRequestCommand {
  static func create(
    _ terms: SupportRequestTerms = .of(), _ draft: SupportCommentDraft = .ann(), reports: Bool = false
  ) -> SupportRequestCommand {
    .create(terms, draft, tags: [], fields: [], reports: reports)
  }

  static func change(
    by role: SupportRole, _ comment: SupportCommentDraft? = nil, status: SupportStatus? = nil, tags: [String]? = nil,
    fields: [SupportField] = [], assignee: Int64? = nil, notice: SupportNotice = .of(), reports: Bool = false,
    limits: SupportRequestLimits = SupportRequestLimits()
  ) -> SupportRequestCommand {
    var change = SupportChange(by: role)
    change.comment = comment
    change.status = status
    change.tags = tags
    change.fields = fields
    change.assignee = assignee
    return .change(change, notice: notice, reports: reports, limits: limits)
  }

  /// A public comment of Bob's.
  static func answer(_ notice: SupportNotice = .of(), _ body: String = "Because.") -> SupportRequestCommand {
    .change(by: .agent, .bob(body), notice: notice)
  }
}

extension SupportDuty {
  static func notify(_ number: Int, _ comment: Int, _ part: SupportPartDraft) -> SupportDuty {
    SupportDuty(number: number, kind: .notify(comment: comment, part))
  }

  static func report(_ number: Int, _ report: SupportReport, _ comment: Int?) -> SupportDuty {
    SupportDuty(number: number, kind: .report(report, comment: comment))
  }

  static func keepFiles(_ number: Int, _ comment: Int) -> SupportDuty {
    SupportDuty(number: number, kind: .keepFiles(comment: comment))
  }
}

extension SupportRequestEvent {
  static func updated(
    _ status: SupportStatus? = nil, tags: [String]? = nil, fields: [SupportField] = [], assignee: Int64? = nil,
    _ duties: [SupportDuty] = []
  ) -> SupportRequestEvent {
    .updated(by: nil, status: status, tags: tags, fields: fields, assignee: assignee, duties: duties)
  }
}

extension SupportRequestEffect {
  static func alarm(_ second: Double) -> SupportRequestEffect { .setAlarm(.second(second)) }
}

extension RequestRig {
  /// Ann's request of second 0, open and on Bob's desk: events of answers stand alone.
  static func given(
    _ terms: SupportRequestTerms = .of(), status: SupportStatus = .open, duties: Bool = false
  ) throws -> RequestRig {
    var rig = RequestRig()
    try rig.when(.create(terms, reports: duties))
    if status != .new { try rig.when(.change(by: .agent, status: status)) }
    return rig
  }
}

extension SupportRequest {
  func comment(_ number: Int) throws -> SupportComment { try #require(self[comment: number]) }
}
