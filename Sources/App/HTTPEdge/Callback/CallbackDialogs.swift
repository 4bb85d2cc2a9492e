import CallbackDomain
import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What an app is told to show or do next, to the letter of the protocol. Spec: GMS 9.3.
struct CallbackDialogs {
  let view: CallbackView
  let url: ExternalURL
  let texts: TextTable
  let language: String?
  /// What the app is to send as `gms_user` with the chat: never a key that the caller did not show, unless it was made
  /// for this callback alone.
  var userHeader = ""

  /// What stands where there is no number or no code. Spec: GMS 9.3, seed.
  private static let notAvailable = "n/a"
  /// Leaves the stack of dialogs.
  private static let exit = "exit://"

  init(view: CallbackView, url: ExternalURL, texts: TextTable, language: String?) {
    self.view = view
    self.url = url
    self.texts = texts
    self.language = language
  }

  /// In the callback's language, else in the one that suits the request.
  init(_ view: CallbackView, _ url: ExternalURL, _ engine: Engine, _ request: Request) {
    let texts = engine.options.current.texts
    self.init(
      view: view, url: url, texts: texts,
      language: view.request.language ?? texts.language(accepted: request.headers[.acceptLanguage]))
  }

  func write(_ dialog: CallbackDialog, into writer: inout JSONWriter) {
    writer.beginObject()
    switch dialog {
    case .confirmWithCode: writeConfirmation(hasTones: true, into: &writer)
    case .confirm: writeConfirmation(hasTones: false, into: &writer)
    case .startChat: writeStartChat(into: &writer)
    case .connectInbound: writeDial(into: &writer)
    case .connectOutbound: writeText(.connectOutbound, into: &writer)
    case .waitForAgent: writeText(.waitForAgent, into: &writer)
    }
    writer.endObject()
  }

  /// The answer to `cancel`. Spec: GMS 9.2.
  func writeCancelled(into writer: inout JSONWriter) {
    writer.beginObject()
    writeText(.cancelled, into: &writer)
    writer.endObject()
  }

  // MARK: Each of them

  private func writeConfirmation(hasTones: Bool, into writer: inout JSONWriter) {
    writer.member("_dialog_id", "0")
    writer.member("_label", text(.confirmationLabel))
    writer.member("_user_action_url", action("not-used"))
    writer.member("_method", "POST")
    writer.member("_action", "DisplayMenu")
    // One that is fetched without being asked is good for as long as the callback lives.
    writer.member("_expires", (view.confirmation?.until ?? view.expiresAt).iso8601)
    writer.member("_resource_url", action("get-dialog-user-confirmation"))
    writer.key("_content")
    writer.beginArray()
    writer.beginObject()
    writer.member("_group_name", text(.confirmationQuestion))
    writer.key("_group_content")
    writer.beginArray()
    writeItem("1", text(.confirmationYes), leadsTo: "connect", hasTones: hasTones, into: &writer)
    writeItem("2", texts.later(minutes: view.snoozeMinutes, language: language), leadsTo: "snooze", into: &writer)
    // The published sample lets the third item snooze: an operator may want that of it.
    writeItem("3", text(.confirmationCancel), leadsTo: view.cancelItemSnoozes ? "snooze" : "cancel", into: &writer)
    writer.endArray()
    writer.endObject()
    writer.endArray()
  }

  private func writeItem(
    _ id: String, _ label: String, leadsTo name: String, hasTones: Bool = false, into writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("_dialog_id", id)
    writer.member("_label", label)
    writer.member("_action", "MenuItem")
    writer.member("_user_action_url", action(name))
    writer.member("_method", "POST")
    writer.member("_id_to_jump_before", Self.exit)
    if hasTones {
      writer.key("confirmation_dialog")
      writer.beginObject()
      writer.member("_text", text(.confirmationTones))
      writer.member("_dialog_type", "Notification")
      writer.key("_dismiss_timeout")
      writer.integer(2)
      writer.endObject()
    }
    writer.endObject()
  }

  private func writeStartChat(into writer: inout JSONWriter) {
    let subject = view.request["subject"] ?? ""
    writer.member("_dialog_id", "1")
    writer.member("_action", "StartChat")
    writer.member("_label", text(.startChat))
    writer.member("_start_chat_url", action("ixn/chat"))
    writer.member("_comet_url", url.comet)
    writer.member("_user_header", userHeader)
    writer.member("_id_to_jump_before", Self.exit)
    writer.key("_chat_parameters")
    writer.beginObject()
    writer.member("subject", subject.isEmpty ? "None" : subject)
    writer.endObject()
    writer.member("_id", view.id)
  }

  private func writeDial(into writer: inout JSONWriter) {
    writer.member("_dialog_id", "0")
    writer.member("_label", text(.connectInbound))
    writer.member("_action", "DialNumber")
    writer.member("_tel_url", view.request.accessNumber.map { Self.telephoneURL($0) } ?? Self.notAvailable)
    writer.member("_access_code", view.request.accessCode ?? Self.notAvailable)
    writer.member("_id", view.id)
  }

  private func writeText(_ key: TextKey, into writer: inout JSONWriter) {
    writer.member("_dialog_id", "0")
    writer.member("_action", "ConfirmationDialog")
    writer.member("_text", text(key))
    writer.member("_ok_title", text(.ok))
    writer.member("_id", view.id)
  }

  // MARK: Parts

  private func text(_ key: TextKey) -> String { texts.text(key, language: language) }

  private func action(_ name: String) -> String { "\(url.instance(view.id))/\(name)" }

  /// `+49 30 555010` as `tel:+4930555010`. Spec: RFC 3966, 3.
  static func telephoneURL(_ number: String) -> String {
    "tel:" + number.filter { !$0.isWhitespace }.replacing("#", with: "%23")
  }
}

extension JSONWriter {
  /// A member whose value is a text.
  mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }
}
