import CallbackDomain
import CallbackEngine
import EngineKit
import EventSourcing
import Testing

@testable import CallbackAPI

@Suite("Dialogs of a callback")
struct CallbackDialogTests {
  private static let base = "https://chat.example.test/genesys/1/service/7Q2M0D1K4H9A3L0R00512B80C00001A4"

  private func json(
    _ dialog: CallbackDialog, of view: CallbackView, language: String? = nil, texts: TextTable = TextTable()
  ) -> String {
    CallbackSample.json { CallbackSample.dialogs(view, language: language, texts: texts).write(dialog, into: &$0) }
  }

  /// The menu as the protocol prints it, without its blanks.
  private static func menu(tones: String, third: String = "cancel", later: String = "No, try again in 5 minutes")
    -> String
  {
    #"{"_dialog_id":"0","_label":"Agent is available right now","_user_action_url":"\#(base)/not-used","#
      + #""_method":"POST","_action":"DisplayMenu","_expires":"2026-03-01T09:20:00Z","#
      + #""_resource_url":"\#(base)/get-dialog-user-confirmation","_content":[{"_group_name":"Are you ready?","#
      + #""_group_content":[{"_dialog_id":"1","_label":"Yes, I'm ready to talk","_action":"MenuItem","#
      + #""_user_action_url":"\#(base)/connect","_method":"POST","_id_to_jump_before":"exit://"\#(tones)},"#
      + #"{"_dialog_id":"2","_label":"\#(later)","_action":"MenuItem","_user_action_url":"\#(base)/snooze","#
      + #""_method":"POST","_id_to_jump_before":"exit://"},"#
      + #"{"_dialog_id":"3","_label":"Cancel, my problem has been solved","_action":"MenuItem","#
      + #""_user_action_url":"\#(base)/\#(third)","_method":"POST","_id_to_jump_before":"exit://"}]}]}"#
  }

  private static let tones =
    #","confirmation_dialog":{"_text":"You will hear tones immediately after call is connected. This is normal.","#
    + #""_dialog_type":"Notification","_dismiss_timeout":2}"#

  @Test("the question is a menu, with a hint at the tones if a code is given")
  func confirmation() throws {
    let view = try CallbackSample.asked()
    #expect(json(.confirmWithCode, of: view) == Self.menu(tones: Self.tones))
    #expect(json(.confirm, of: view) == Self.menu(tones: ""))
  }

  @Test("the third item can be made to snooze, as the published sample has it")
  func thirdItem() throws {
    var view = try CallbackSample.asked()
    view.cancelItemSnoozes = true
    #expect(json(.confirm, of: view) == Self.menu(tones: "", third: "snooze"))
  }

  @Test(
    "the second item says how long the pause is",
    arguments: [
      (1, "No, try again in 1 minute"), (2, "No, try again in 2 minutes"), (90, "No, try again in 90 minutes"),
    ])
  func pause(minutes: Int, label: String) throws {
    var view = try CallbackSample.asked()
    view.snoozeMinutes = minutes
    #expect(json(.confirm, of: view) == Self.menu(tones: "", later: label))
  }

  @Test("a question that is not being asked is good for as long as the callback lives")
  func expiry() throws {
    #expect(json(.confirm, of: try CallbackSample.view()).contains(#""_expires":"2026-03-02T09:05:00Z""#))
  }

  @Test("start of a chat: where, by which header, about what")
  func startChat() throws {
    #expect(
      json(.startChat, of: try CallbackSample.view())
        == #"{"_dialog_id":"1","_action":"StartChat","_label":"Start Chat","_start_chat_url":"\#(Self.base)/ixn/chat","#
        + #""_comet_url":"https://chat.example.test/genesys/cometd","_user_header":"user-5521","#
        + #""_id_to_jump_before":"exit://","_chat_parameters":{"subject":"Order 7"},"#
        + #""_id":"7Q2M0D1K4H9A3L0R00512B80C00001A4"}"#)
    var request = CallbackSample.request
    request.fields = [NameValuePair("subject", "")]
    #expect(json(.startChat, of: try CallbackSample.view(request)).contains(#""_chat_parameters":{"subject":"None"}"#))
  }

  @Test(
    "the number to dial is a telephone URL, and n/a stands for what there is not",
    arguments: [
      (nil, nil, "n/a", "n/a"), ("+49 30 555010", "4711", "tel:+4930555010", "4711"),
      ("*100#", nil, "tel:*100%23", "n/a"),
    ] as [(String?, String?, String, String)])
  func dial(number: String?, code: String?, url: String, shown: String) throws {
    var request = CallbackSample.request
    request.accessNumber = number
    request.accessCode = code
    #expect(
      json(.connectInbound, of: try CallbackSample.view(request))
        == #"{"_dialog_id":"0","_label":"Connecting ...","_action":"DialNumber","_tel_url":"\#(url)","#
        + #""_access_code":"\#(shown)","_id":"7Q2M0D1K4H9A3L0R00512B80C00001A4"}"#)
  }

  @Test("what there is only to read")
  func texts() throws {
    func expected(_ text: String) -> String {
      #"{"_dialog_id":"0","_action":"ConfirmationDialog","_text":"\#(text)","_ok_title":"Ok","#
        + #""_id":"7Q2M0D1K4H9A3L0R00512B80C00001A4"}"#
    }
    let view = try CallbackSample.view()
    #expect(json(.connectOutbound, of: view) == expected("You will receive the call shortly"))
    #expect(json(.waitForAgent, of: view) == expected("We will notify you when agent is available"))
    #expect(
      CallbackSample.json { CallbackSample.dialogs(view).writeCancelled(into: &$0) }
        == expected("Your request has been cancelled"))
  }

  @Test("the operator's text stands in the place of the built-in one")
  func replaced() throws {
    var texts = TextTable()
    try texts.replace("callback.ok", language: "en", with: "Got it")
    #expect(json(.waitForAgent, of: try CallbackSample.view(), texts: texts).contains(#""_ok_title":"Got it""#))
  }
}
