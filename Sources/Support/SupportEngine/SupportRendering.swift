import Crypto
import EngineKit
import EventSourcing
public import JSONEnvelope
public import SupportDomain
import TextEncoding

/// Requests, comments and people as JSON, in the shapes of Zendesk's published API: for apps, agents, and whoever
/// follows requests from outside. Members that this server has nothing for are there and null, because the SDK's models
/// read them. Spec: support requests 8.
public enum SupportRendering {
  /// What is put into a request only if it is asked for.
  public enum Include: String, Sendable, CaseIterable {
    case firstComment = "first_comment"
    case lastComment = "last_comment"
  }

  /// One request: an object.
  /// - Parameters:
  ///   - role: whom it is shown to; the view has been made for the same role.
  ///   - base: how this server is reached: scheme and authority, without a slash at its end.
  public static func request(
    _ view: SupportRequestView, includes: Set<Include>, for role: SupportRole, base: String,
    into writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("id", view.number)
    let resource = role == .agent ? "tickets" : "requests"
    writer.member("url", "\(base)/api/v2/\(resource)/\(view.number).json")
    writer.member("status", view.status.name)
    writer.nullMembers("priority", "type")
    writer.member("subject", view.terms.subject)
    writer.member("description", view.firstComment?.body ?? "")
    writer.member("requester_id", view.terms.requester)
    writer.member("assignee_id", view.assignee)
    writer.nullMembers("organization_id", "group_id", "due_at", "recipient", "followup_source_id")
    writer.emptyLists("collaborator_ids")
    writer.key("via")
    writer.raw(#"{"channel":"\#(view.terms.channel.name)","source":{"from":{},"to":{},"rel":null}}"#.bytes)
    writer.member("created_at", view.createdAt.iso8601)
    writer.member("updated_at", view.updatedAt.iso8601)
    writer.member("public_updated_at", view.publicUpdatedAt.iso8601)
    writer.member("comment_count", Int64(view.commentCount))
    writer.key("commenting_agents_ids")
    writer.beginArray()
    for agent in view.commentingAgents { writer.integer(agent) }
    writer.endArray()
    // Old clients read the one, new ones the other.
    for name in ["custom_fields", "fields"] as [StaticString] { write(view.fields, as: name, into: &writer) }
    writer.member("ticket_form_id", view.terms.formID)
    writer.key("can_be_solved_by_me")
    writer.bool(view.status != .solved && view.status != .closed)
    if role == .agent { writeForAgents(view, into: &writer) }
    for (include, comment) in [(.firstComment, view.firstComment), (.lastComment, view.lastComment)]
      as [(Include, SupportComment?)] where includes.contains(include)
    {
      writer.key(include.rawValue)
      if let comment { self.comment(comment, of: view.number, base: base, into: &writer) } else { writer.null() }
    }
    writer.endObject()
  }

  private static func write(_ fields: [SupportField], as name: StaticString, into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginArray()
    for field in fields {
      writer.beginObject()
      writer.member("id", field.id)
      writer.key("value")
      writer.raw(field.value)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func writeForAgents(_ view: SupportRequestView, into writer: inout JSONWriter) {
    writer.key("tags")
    writer.beginArray()
    for tag in view.tags { writer.string(tag) }
    writer.endArray()
    writer.key("sdk_client_id")
    if let app = view.terms.app { writer.string(app) } else { writer.null() }
    writer.key("metadata")
    if let metadata = view.terms.metadata { writer.raw(metadata) } else { writer.null() }
    guard let transcript = view.terms.transcript else { return }
    writer.key("transcript")
    writer.beginObject()
    writer.member("service_id", transcript.serviceID)
    writer.member("chat_id", transcript.chatID)
    writer.member("position", Int64(transcript.position))
    writer.endObject()
  }

  /// One comment: an object. - Parameter request: the number of the request that it belongs to.
  public static func comment(
    _ comment: SupportComment, of request: Int64, base: String, into writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("id", SupportIDs.comment(comment.number, of: request))
    writer.member("type", "Comment")
    writer.member("request_id", request)
    writer.member("author_id", comment.author)
    writer.member("body", comment.body)
    writer.member("html_body", html(of: comment.body))
    writer.member("plain_body", comment.body)
    writer.key("public")
    writer.bool(comment.isPublic)
    writer.key("attachments")
    writer.beginArray()
    for attachment in comment.attachments { self.attachment(attachment, base: base, into: &writer) }
    writer.endArray()
    writer.member("created_at", comment.createdAt.iso8601)
    writer.endObject()
  }

  /// Somebody who wrote something: an object.
  public static func user(_ view: SupportUserView, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", view.number)
    writer.member("name", view.name)
    writer.nullMembers("photo")
    writer.key("agent")
    writer.bool(view.isAgent)
    writer.nullMembers("organization_id")
    if let email = view.email { writer.member("email", email) }
    writer.endObject()
  }

  /// A file: an object. Whoever has its address may fetch it.
  public static func attachment(_ attachment: SupportAttachment, base: String, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id(of: attachment))
    writer.member("file_name", attachment.fileName)
    writer.member(
      "content_url",
      "\(base)/attachments/token/\(attachment.token)/?name=\(PercentEncoding.encode(attachment.fileName))")
    writer.member("content_type", attachment.contentType)
    writer.member("size", Int64(attachment.size))
    writer.key("inline")
    writer.bool(false)
    writer.emptyLists("thumbnails")
    writer.endObject()
  }

  /// The same before and after a comment has taken the file, and small enough for a number that JavaScript can hold.
  private static func id(of attachment: SupportAttachment) -> Int64 {
    SHA256.hash(data: attachment.token.bytes).prefix(6).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// An empty line ends a paragraph; what means something in HTML is escaped.
  static func html(of body: String) -> String {
    var html = "<div class=\"zd-comment\">"
    let lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for paragraph in lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }) {
      html += "<p>" + paragraph.map { escaped($0) }.joined(separator: "<br>") + "</p>"
    }
    return html + "</div>"
  }

  private static func escaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate var bytes: [UInt8] { Array(utf8) }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  fileprivate mutating func member(_ name: StaticString, _ value: Int64?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  fileprivate mutating func nullMembers(_ names: StaticString...) {
    for name in names {
      key(name)
      null()
    }
  }

  fileprivate mutating func emptyLists(_ names: StaticString...) {
    for name in names {
      key(name)
      raw("[]")
    }
  }
}
