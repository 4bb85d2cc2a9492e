import CallbackDomain
import ChatEngine
import PushEngine
public import SupportDomain
import SupportEngine

/// What this server posts to receivers by itself. What back ends publish is posted too, under tags of their own.
public enum PostedEvent: Sendable, Hashable {
  /// A chat has something for a customer who is away.
  case chat
  /// A callback leads its app to a dialog; several dialogs may have one tag.
  case callback(tag: String)
  /// An operator tries a device.
  case test
  /// A comment on a support request, for whoever pushes for its app.
  case supportComment
  /// A support request has changed, for another helpdesk.
  case supportRequest(SupportReport)
  /// For operators.
  case operators(OperatorEventName)

  public static let all: [PostedEvent] = {
    var all: [PostedEvent] = [.chat]
    for dialog in CallbackDialog.allCases where dialog.isPushed && !all.contains(.callback(tag: dialog.tag)) {
      all.append(.callback(tag: dialog.tag))
    }
    all += [.test, .supportComment]
    all += SupportReport.allCases.map(PostedEvent.supportRequest)
    all += OperatorEventName.allCases.map(PostedEvent.operators)
    return all
  }()

  /// Unique: the `type` of its body, or its tag if the body has none.
  public var name: String {
    switch self {
    case .supportRequest(let report): report.eventName
    case .operators(let name): name.rawValue
    case .chat, .callback, .test, .supportComment: tag
    }
  }

  /// The header `carillon-event`, and the name by which options are looked up.
  public var tag: String {
    switch self {
    case .chat: ChatPushes.tag
    case .callback(let tag): tag
    case .test: CourierService.tag
    case .supportComment: SupportService.tag
    case .supportRequest: SupportService.eventTag
    case .operators: OperatorEvents.tag
    }
  }
}
