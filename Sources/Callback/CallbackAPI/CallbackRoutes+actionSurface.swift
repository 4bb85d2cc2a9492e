import CallbackDomain
import CallbackEngine
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: GMS 9.2, 9.3.
extension CallbackRoutes {
  /// Each by POST, and by GET as newer apps do it, but `cancel`.
  static let actions: [Operation<CallbackRoutes>] = [
    dialog(
      .confirmWithCode, "dialogConfirmWithCode", "The question, with a hint about tones",
      "ConfirmationMenu"),
    dialog(.confirm, "dialogConfirm", "The question", "ConfirmationMenu"),
    action("get-dialog-user-confirmation", "dialogConfirmation", "The question that suits", "ConfirmationMenu") {
      try await $0.confirm($1, $2, $3)
    },
    dialog(.startChat, "dialogStartChat", "The dialog that starts a chat", "StartChatDialog"),
    dialog(.connectInbound, "connectInbound", "The dialog that dials", "DialDialog"),
    dialog(.connectOutbound, "connectOutbound", "The dialog before a call", "TextDialog"),
    dialog(.waitForAgent, "waitForAgent", "The dialog that lets wait", "TextDialog"),
    action("connect", "connect", "The customer is ready", "CallbackDialog", changes: true) {
      try await $0.connect($1, $2, $3)
    },
    action("snooze", "snooze", "The customer wants to be asked again later", "CallbackDialog", changes: true) {
      try await $0.snooze($1, $2, $3)
    },
    action(
      "cancel", "cancel", "The customer does not want it any more", "TextDialog", changes: true, methods: [.post]
    ) { try await $0.cancel($1, $2, $3) },
    action("not-used", "notUsed", "Nothing", nil) { _, _, _, _ in .object { _ in } },
    action("check-queue-position", "checkQueuePosition", "How long it may take", "QueuePosition") { routes, id, _, _ in
      try await routes.queuePosition(id)
    },
  ].flatMap { $0 }

  private static func action(
    _ name: String, _ id: String, _ summary: String, _ schema: String?, changes: Bool = false,
    methods: [HTTPRequest.Method] = [.post, .get], _ perform: @escaping Action
  ) -> [Operation<CallbackRoutes>] {
    methods.map { method in
      Operation(
        method, "/genesys/1/service/{service}/\(name)", id + (method == .post ? "ByPost" : "ByGet"), summary,
        about: "The id is the key; whoever shows another's `gms_user` finds nothing.",
        access: .customer, parameters: [callbackID, .ownerKey],
        answers: [.json(200, "What to show now.", schema.map { .named($0) } ?? APISchema(["type": "object"]))],
        failures: changes ? [400, 404, 409, 507] : [400, 404]
      ) { try await $0.act($1, $2, perform) }
    }
  }

  private static func dialog(
    _ dialog: CallbackDialog, _ id: String, _ summary: String, _ schema: String
  ) -> [Operation<CallbackRoutes>] {
    action(dialog.action, id, summary, schema) { routes, id, request, context in
      try await routes.answer(request, context, with: dialog, of: try await routes.callbacks.view(id))
    }
  }

  /// The instance that a callback is.
  private static let callbackID: APIParameter = .path("service", "The callback's id: `_id`.")

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
