public import CallbackDomain
public import EngineKit

extension TextTable {
  /// What a push that announces `dialog` shows, unless options of its section say otherwise. Spec: GMS 9.6.
  public func alert(for dialog: CallbackDialog, language: String?) -> String {
    text(dialog.headline, language: language)
  }
}

extension CallbackDialog {
  /// The text that says what the dialog is about.
  var headline: TextKey {
    switch self {
    case .confirmWithCode, .confirm: .confirmationLabel
    case .startChat: .startChat
    case .connectInbound: .connectInbound
    case .connectOutbound: .connectOutbound
    case .waitForAgent: .waitForAgent
    }
  }
}
