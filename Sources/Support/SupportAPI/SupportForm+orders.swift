import HTTPKit
import SupportDomain
import SupportEngine

/// What requests and updates say, read. Spec: support requests 8; Zendesk's Requests and Tickets API.
extension SupportRequestOrder {
  init(_ form: SupportForm, at desk: SupportDesk) throws(SupportFailure) {
    self.init()
    subject = try form.optionalText("subject") ?? ""
    comment = try SupportCommentOrder(try form.object("comment"), at: desk)
    tags = try form.optionalTexts("tags") ?? []
    fields = try form.fields("custom_fields")
    formID = try form.optionalID("ticket_form_id")
    metadata = try form.json("metadata")
    guard desk == .agents else { return }
    status = try form.status("status")
    requester = try form.optionalID("requester_id")
    if let person = try form.optionalObject("requester") {
      requesterEmail = try person.text("email").trimmed
      requesterName = try person.optionalText("name")
    }
    if let name = try form.optionalObject("via")?.optionalText("channel") {
      guard let named = SupportChannel(name: name) else {
        let names = SupportChannel.allCases.map(\.name).joined(separator: ", ")
        throw .invalid(field: "via.channel", reason: "is not one of \(names)")
      }
      channel = named
    }
  }
}

extension SupportCommentOrder {
  init(_ form: SupportForm, at desk: SupportDesk) throws(SupportFailure) {
    self.init()
    body = try form.text("body")
    uploads = try form.optionalTexts("uploads") ?? []
    // Whether it is public, and who has written it, is not the end user's to say.
    guard desk == .agents else { return }
    isPublic = try form.optionalBool("public") ?? true
    author = try form.optionalID("author_id")
  }
}

extension SupportUpdate {
  /// What an end user may not change is refused by the request itself, so it is read here all the same.
  init(_ form: SupportForm, at desk: SupportDesk) throws(SupportFailure) {
    self.init()
    if let comment = try form.optionalObject("comment") { self.comment = try SupportCommentOrder(comment, at: desk) }
    status = try form.status("status")
    if try form.optionalBool("solved") == true { status = .solved }
    tags = try form.optionalTexts("tags")
    fields = try form.fields("custom_fields")
    assignee = try form.optionalID("assignee_id")
  }
}

extension SupportQuery {
  init(_ parameters: RequestParameters, _ page: SupportPage, at desk: SupportDesk) throws(SupportFailure) {
    self.init()
    self.page = page.number
    perPage = page.size
    for name in parameters.list("status") {
      guard let status = SupportStatus(name: name) else { throw .unknownStatus(field: "status") }
      statuses.insert(status)
    }
    guard desk == .agents else { return }
    requester = try Self.id("requester_id", parameters)
    assignee = try Self.id("assignee_id", parameters)
  }

  private static func id(_ name: String, _ parameters: RequestParameters) throws(SupportFailure) -> Int64? {
    guard let text = parameters[name] else { return nil }
    guard let id = Int64(text), id > 0 else { throw .invalid(field: name, reason: "is not an id") }
    return id
  }
}
