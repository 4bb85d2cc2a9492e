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

  /// One request.
  /// - Parameters:
  ///   - role: whom it is shown to; the view has been made for the same role.
  ///   - base: how this server is reached: scheme and authority, without a slash at its end.
  public static func request(
    _ view: SupportRequestView, includes: Set<Include>, for role: SupportRole, base: String,
    into object: inout JSONObjectWriter
  ) {
    object.member("id", view.number)
    let resource = role == .agent ? "tickets" : "requests"
    object.member("url", "\(base)/api/v2/\(resource)/\(view.number).json")
    object.member("status", view.status.name)
    object.nullMembers("priority", "type")
    object.member("subject", view.terms.subject)
    object.member("description", view.firstComment?.body ?? "")
    object.member("requester_id", view.terms.requester)
    object.member("assignee_id", view.assignee)
    object.nullMembers("organization_id", "group_id", "due_at", "recipient", "followup_source_id")
    object.array("collaborator_ids") { _ in }
    object.object("via") { via in
      via.member("channel", view.terms.channel.name)
      via.object("source") { source in
        source.object("from") { _ in }
        source.object("to") { _ in }
        source.nullMembers("rel")
      }
    }
    object.member("created_at", view.createdAt.iso8601)
    object.member("updated_at", view.updatedAt.iso8601)
    object.member("public_updated_at", view.publicUpdatedAt.iso8601)
    object.member("comment_count", view.commentCount)
    object.member("commenting_agents_ids", view.commentingAgents)
    // Old clients read the one, new ones the other.
    for name in ["custom_fields", "fields"] as [StaticString] { write(view.fields, as: name, into: &object) }
    object.member("ticket_form_id", view.terms.formID)
    object.member("can_be_solved_by_me", view.status != .solved && view.status != .closed)
    if role == .agent { writeForAgents(view, into: &object) }
    for (include, comment) in [(.firstComment, view.firstComment), (.lastComment, view.lastComment)]
      as [(Include, SupportComment?)] where includes.contains(include)
    {
      object.member(named: include.rawValue) { writer in
        guard let comment else { return writer.value(JSONValue.null) }
        writer.object { self.comment(comment, of: view.number, base: base, into: &$0) }
      }
    }
  }

  private static func write(
    _ fields: [SupportField], as name: StaticString, into request: inout JSONObjectWriter
  ) {
    request.objects(name, fields) { field, object in
      object.member("id", field.id)
      object.member("value", RawJSON(field.value))
    }
  }

  private static func writeForAgents(_ view: SupportRequestView, into request: inout JSONObjectWriter) {
    request.member("tags", view.tags)
    request.member("sdk_client_id", view.terms.app)
    request.member("metadata", view.terms.metadata.map { RawJSON($0) })
    guard let transcript = view.terms.transcript else { return }
    request.object("transcript") { object in
      object.member("service_id", transcript.serviceID)
      object.member("chat_id", transcript.chatID)
      object.member("position", transcript.position)
    }
  }

  /// One comment. - Parameter request: the number of the request that it belongs to.
  public static func comment(
    _ comment: SupportComment, of request: Int64, base: String, into object: inout JSONObjectWriter
  ) {
    object.member("id", SupportIDs.comment(comment.number, of: request))
    object.member("type", "Comment")
    object.member("request_id", request)
    object.member("author_id", comment.author)
    object.member("body", comment.body)
    object.member("html_body", html(of: comment.body))
    object.member("plain_body", comment.body)
    object.member("public", comment.isPublic)
    object.objects("attachments", comment.attachments) { attachment($0, base: base, into: &$1) }
    object.member("created_at", comment.createdAt.iso8601)
  }

  /// Somebody who wrote something.
  public static func user(_ view: SupportUserView, into object: inout JSONObjectWriter) {
    object.member("id", view.number)
    object.member("name", view.name)
    object.nullMembers("photo")
    object.member("agent", view.isAgent)
    object.nullMembers("organization_id")
    object.member("email", ifPresent: view.email)
  }

  /// A file. Whoever has its address may fetch it.
  public static func attachment(_ attachment: SupportAttachment, base: String, into object: inout JSONObjectWriter) {
    object.member("id", id(of: attachment))
    object.member("file_name", attachment.fileName)
    object.member(
      "content_url",
      "\(base)/attachments/token/\(attachment.token)/?name=\(PercentEncoding.encode(attachment.fileName))")
    object.member("content_type", attachment.contentType)
    object.member("size", attachment.size)
    object.member("inline", false)
    object.array("thumbnails") { _ in }
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
      html += "<p>" + paragraph.map { HTMLText.escaped($0) }.joined(separator: "<br>") + "</p>"
    }
    return html + "</div>"
  }
}

extension String {
  fileprivate var bytes: [UInt8] { Array(utf8) }
}

extension JSONObjectWriter {
  fileprivate mutating func nullMembers(_ names: StaticString...) {
    for name in names { member(name, JSONValue.null) }
  }
}
