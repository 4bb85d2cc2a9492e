import CallbackDomain
import CallbackEngine
import EngineKit
import EventSourcing
import HTTPKit
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
  init(_ view: CallbackView, _ url: ExternalURL, _ texts: TextTable, _ request: Request) {
    self.init(
      view: view, url: url, texts: texts,
      language: view.request.language ?? texts.language(accepted: request.headers[.acceptLanguage]))
  }

  func write(_ dialog: CallbackDialog, into object: inout JSONObjectWriter) {
    switch dialog {
    case .confirmWithCode: writeConfirmation(hasTones: true, into: &object)
    case .confirm: writeConfirmation(hasTones: false, into: &object)
    case .startChat: writeStartChat(into: &object)
    case .connectInbound: writeDial(into: &object)
    case .connectOutbound: writeText(.connectOutbound, into: &object)
    case .waitForAgent: writeText(.waitForAgent, into: &object)
    }
  }

  /// The answer to `cancel`. Spec: GMS 9.2.
  func writeCancelled(into object: inout JSONObjectWriter) { writeText(.cancelled, into: &object) }

  // MARK: Each of them

  private func writeConfirmation(hasTones: Bool, into dialog: inout JSONObjectWriter) {
    dialog.member("_dialog_id", "0")
    dialog.member("_label", text(.confirmationLabel))
    dialog.member("_user_action_url", action("not-used"))
    dialog.member("_method", "POST")
    dialog.member("_action", "DisplayMenu")
    // One that is fetched without being asked is good for as long as the callback lives.
    dialog.member("_expires", (view.confirmation?.until ?? view.expiresAt).iso8601)
    dialog.member("_resource_url", action("get-dialog-user-confirmation"))
    dialog.array("_content") { groups in
      groups.object { group in
        group.member("_group_name", text(.confirmationQuestion))
        group.array("_group_content") { items in
          writeItem("1", text(.confirmationYes), leadsTo: "connect", hasTones: hasTones, into: &items)
          writeItem("2", texts.later(minutes: view.snoozeMinutes, language: language), leadsTo: "snooze", into: &items)
          // The published sample lets the third item snooze: an operator may want that of it.
          writeItem("3", text(.confirmationCancel), leadsTo: view.cancelItemSnoozes ? "snooze" : "cancel", into: &items)
        }
      }
    }
  }

  private func writeItem(
    _ id: String, _ label: String, leadsTo name: String, hasTones: Bool = false, into items: inout JSONArrayWriter
  ) {
    items.object { item in
      item.member("_dialog_id", id)
      item.member("_label", label)
      item.member("_action", "MenuItem")
      item.member("_user_action_url", action(name))
      item.member("_method", "POST")
      item.member("_id_to_jump_before", Self.exit)
      guard hasTones else { return }
      item.object("confirmation_dialog") { dialog in
        dialog.member("_text", text(.confirmationTones))
        dialog.member("_dialog_type", "Notification")
        dialog.member("_dismiss_timeout", 2)
      }
    }
  }

  private func writeStartChat(into dialog: inout JSONObjectWriter) {
    let subject = view.request["subject"] ?? ""
    dialog.member("_dialog_id", "1")
    dialog.member("_action", "StartChat")
    dialog.member("_label", text(.startChat))
    dialog.member("_start_chat_url", action("ixn/chat"))
    dialog.member("_comet_url", url.comet)
    dialog.member("_user_header", userHeader)
    dialog.member("_id_to_jump_before", Self.exit)
    dialog.object("_chat_parameters") { $0.member("subject", subject.isEmpty ? "None" : subject) }
    dialog.member("_id", view.id)
  }

  private func writeDial(into dialog: inout JSONObjectWriter) {
    dialog.member("_dialog_id", "0")
    dialog.member("_label", text(.connectInbound))
    dialog.member("_action", "DialNumber")
    dialog.member("_tel_url", view.request.accessNumber.map { Self.telephoneURL($0) } ?? Self.notAvailable)
    dialog.member("_access_code", view.request.accessCode ?? Self.notAvailable)
    dialog.member("_id", view.id)
  }

  private func writeText(_ key: TextKey, into dialog: inout JSONObjectWriter) {
    dialog.member("_dialog_id", "0")
    dialog.member("_action", "ConfirmationDialog")
    dialog.member("_text", text(key))
    dialog.member("_ok_title", text(.ok))
    dialog.member("_id", view.id)
  }

  // MARK: Parts

  private func text(_ key: TextKey) -> String { texts.text(key, language: language) }

  private func action(_ name: String) -> String { "\(url.instance(view.id))/\(name)" }

  /// `+49 30 555010` as `tel:+4930555010`. Spec: RFC 3966, 3.
  static func telephoneURL(_ number: String) -> String {
    "tel:" + number.filter { !$0.isWhitespace }.replacing("#", with: "%23")
  }
}
