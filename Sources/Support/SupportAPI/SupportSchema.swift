import HTTPKit
import JSONEnvelope
import SupportDomain
import SupportEngine

/// The objects of support's surface. Spec: support requests 3, 8; Zendesk's Requests, Tickets and Ticket Comments API.
enum SupportSchema {
  /// Those that several operations name.
  static let shared: [(String, APISchema)] = [
    ("SupportError", error), ("SupportRequest", request), ("SupportComment", comment), ("SupportUser", user),
    ("SupportAttachment", attachment), ("SupportDevice", device), ("SupportOrder", order), ("SupportApp", app),
  ]

  static let users = APISchema.list(of: .named("SupportUser"))

  static let error = APISchema.object([
    .required("error", .text, "For programs: `RecordInvalid`, `RecordNotFound`, `Couldn't authenticate you`, …"),
    .optional("description", .text, "For people."),
    .optional(
      "details", .map(of: .list(of: .object([.required("description")]))), "By the names of the members to blame."),
    .optional("limit", .integer, "How many there may be."),
  ])

  static let draft = APISchema.object([
    .required("body", .text(1...SupportRequestLimits().commentBytesMaximum)),
    .optional("uploads", .list(of: .text, 0...SupportRequestLimits().attachmentsMaximum), "Tokens of uploads."),
    .optional("public", APISchema.bool.byDefault(true), "Agents' only."),
    .optional("author_id", .integer, "Agents' only: another agent, or the requester."),
  ])

  static let fields = APISchema.list(
    of: .object([.required("id", .integer), .optional("value", .anything)]),
    0...SupportRequestLimits().fieldsMaximum)

  static let tags = APISchema.list(of: .text, 0...SupportRequestLimits().tagsMaximum)

  static let states = APISchema.oneOf(SupportStatus.allCases.map(\.name))

  static let order = APISchema.object([
    .optional("subject", .text(0...SupportRequestLimits().subjectBytesMaximum)), .required("comment", draft),
    .optional("tags", tags), .optional("custom_fields", fields), .optional("ticket_form_id", .integer),
    .optional("metadata", APISchema(["type": "object"]), "What the SDK tells of the device."),
    .optional("status", states, "Agents' only."), .optional("requester_id", .integer, "Agents' only."),
    .optional(
      "requester", .object([.required("email"), .optional("name")]), "Agents' only: somebody who may be new."),
    .optional(
      "via", .object([.optional("channel", .oneOf(SupportChannel.allCases.map(\.name)))]), "Agents' only."),
  ])

  static let update = APISchema.object([
    .optional("comment", draft), .optional("status", states), .optional("solved", .bool),
    .optional("tags", tags, "Agents' only."), .optional("custom_fields", fields, "Agents' only."),
    .optional("assignee_id", .integer, "Agents' only."),
  ])

  static let request = APISchema.object([
    .required("id", .integer), .required("url"), .required("status", states), .required("subject"),
    .required("description", .text, "The first comment."), .required("requester_id", .integer),
    .required("assignee_id", APISchema.integer.orNull),
    .required("via", .object([.required("channel", .oneOf(SupportChannel.allCases.map(\.name)))])),
    .required("created_at", .time), .required("updated_at", .time), .required("public_updated_at", .time),
    .required("comment_count", .integer), .required("commenting_agents_ids", .list(of: .integer)),
    .required("custom_fields", fields), .required("ticket_form_id", APISchema.integer.orNull),
    .required("can_be_solved_by_me", .bool), .optional("tags", tags, "For agents."),
    .optional("first_comment", .named("SupportComment")), .optional("last_comment", .named("SupportComment")),
  ])

  static let comment = APISchema.object([
    .required("id", .integer), .required("request_id", .integer), .required("author_id", .integer),
    .required("body"), .required("html_body"), .required("plain_body"), .required("public", .bool),
    .required("attachments", .list(of: .named("SupportAttachment"))), .required("created_at", .time),
  ])

  static let user = APISchema.object([
    .required("id", .integer), .required("name"), .required("agent", .bool), .optional("email", .text, "For agents."),
  ])

  static let registration = APISchema.object([
    .required("identifier", .text(1...4_096), "Blanks, `<` and `>` are taken out of it."),
    .required("device_type", .text, "`ios` or `android`."), .optional("locale", APISchema.text.byDefault("en")),
    .optional("token_type", .oneOf("urban_airship_channel_id").orNull),
  ])

  static let device = APISchema.object(
    registration,
    and: [
      .required("id", .integer), .required("active", .bool), .required("created_at", .time),
      .required("updated_at", .time),
    ])

  static let attachment = APISchema.object([
    .required("id", .integer), .required("file_name"), .required("content_url"), .required("content_type"),
    .required("size", .integer), .required("inline", .bool),
  ])

  static let app = APISchema.object([
    .required("clientId"), .required("appId"), .required("identity", .oneOf("anonymous", "jwt")),
    .required("integration", .oneOf(["none"] + SupportIntegration.allCases.map(\.name))), .optional("webhookUrl"),
    .optional("previousUrl"), .optional("previousUntil", .time), .optional("rotatedAt", .time), .optional("rotatedBy"),
    .required("devices", .integer), .required("staleDevices", .integer),
  ])
}
