import CallbackDomain
import HTTPTypes
import JSONEnvelope

/// Spec: GMS 9.2, 9.3.
extension APISurface {
  /// Each by POST, and by GET as newer apps do it, but `cancel`.
  static let actions: [APIOperation] = [
    action(
      CallbackDialog.confirmWithCode.action, "dialogConfirmWithCode", "The question, with a hint about tones",
      "ConfirmationMenu"),
    action(CallbackDialog.confirm.action, "dialogConfirm", "The question", "ConfirmationMenu"),
    action("get-dialog-user-confirmation", "dialogConfirmation", "The question that suits", "ConfirmationMenu"),
    action(CallbackDialog.startChat.action, "dialogStartChat", "The dialog that starts a chat", "StartChatDialog"),
    action(CallbackDialog.connectInbound.action, "connectInbound", "The dialog that dials", "DialDialog"),
    action(CallbackDialog.connectOutbound.action, "connectOutbound", "The dialog before a call", "TextDialog"),
    action(CallbackDialog.waitForAgent.action, "waitForAgent", "The dialog that lets wait", "TextDialog"),
    action("connect", "connect", "The customer is ready", "CallbackDialog", changes: true),
    action("snooze", "snooze", "The customer wants to be asked again later", "CallbackDialog", changes: true),
    action(
      "cancel", "cancel", "The customer does not want it any more", "TextDialog", changes: true, methods: [.post]),
    action("not-used", "notUsed", "Nothing", nil),
    action("check-queue-position", "checkQueuePosition", "How long it may take", "QueuePosition"),
  ].flatMap { $0 }

  private static func action(
    _ name: String, _ id: String, _ summary: String, _ schema: String?, changes: Bool = false,
    methods: [HTTPRequest.Method] = [.post, .get]
  ) -> [APIOperation] {
    methods.map { method in
      APIOperation(
        method, "/genesys/1/service/{service}/\(name)", id + (method == .post ? "ByPost" : "ByGet"), summary,
        about: "The id is the key; whoever shows another's `gms_user` finds nothing.",
        access: .customer, parameters: [.callbackID, .ownerKey],
        answers: [.json(200, "What to show now.", schema.map { .named($0) } ?? APISchema(["type": "object"]))],
        failures: changes ? [400, 404, 409, 507] : [400, 404])
    }
  }

  static let dialogSchemas: [(String, APISchema)] = [
    (
      "CallbackDialog",
      .either(.named("ConfirmationMenu"), .named("StartChatDialog"), .named("DialDialog"), .named("TextDialog"))
    ),
    ("ConfirmationMenu", menu), ("MenuItem", item), ("StartChatDialog", startChatDialog), ("DialDialog", dial),
    ("TextDialog", text),
  ]

  private static func kind(_ name: String) -> APIMember { .required("_action", .oneOf(name)) }

  private static let menu = APISchema.object([
    .required("_dialog_id"), .required("_label"), .required("_user_action_url"), .required("_method"),
    kind("DisplayMenu"), .required("_expires", .time, "When the question is over."), .required("_resource_url"),
    .required(
      "_content",
      .list(
        of: .object([
          .required("_group_name"), .required("_group_content", .list(of: .named("MenuItem"))),
        ]))),
  ])

  private static let item = APISchema.object([
    .required("_dialog_id"), .required("_label"), kind("MenuItem"),
    .required("_user_action_url", .text, "Where the item leads."), .required("_method", .oneOf("POST")),
    .required("_id_to_jump_before", .oneOf("exit://"), "Leaves the dialogs."),
    .optional(
      "confirmation_dialog",
      .object([
        .required("_text"), .required("_dialog_type", .oneOf("Notification")),
        .required("_dismiss_timeout", .integer, "Seconds."),
      ])),
  ])

  private static let startChatDialog = APISchema.object([
    .required("_dialog_id"), kind("StartChat"), .required("_label"), .required("_start_chat_url"),
    .required("_comet_url"),
    .required(
      "_user_header", .text, "To be sent as `gms_user`: what was shown, or a key that opens this chat alone."),
    .required("_id_to_jump_before", .oneOf("exit://")),
    .required("_chat_parameters", .object([.required("subject")])), .required("_id"),
  ])

  private static let dial = APISchema.object([
    .required("_dialog_id"), .required("_label"), kind("DialNumber"), .required("_tel_url", .text, "`tel:…` or `n/a`."),
    .required("_access_code", .text, "Or `n/a`."), .required("_id"),
  ])

  private static let text = APISchema.object([
    .required("_dialog_id"), kind("ConfirmationDialog"), .required("_text"), .required("_ok_title"), .required("_id"),
  ])
}

extension APIParameter {
  /// The instance that a callback is.
  static let callbackID: APIParameter = .path("service", "The callback's id: `_id`.")
}
