package import ChatDomain
import EngineKit
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import PushEngine

/// The pushes of chats whose customer is away. Spec: GMS 7.
package struct ChatPushes: PushProducer {
  static let prefix = ""
  /// For option look-up; not sent to the device. Spec: GMS 7.1.
  package static let tag = "chat.newagentmessage"

  let chats: ChatService
  let dispatcher: PushDispatcher

  func accepted(_ key: String, _ number: Int) async {
    guard let chat = chats.directory[key] else { return }
    await chat.post(ChatCommand(.pushHandedOver(number: number), policy: chats.policy(of: key)), lazy: true)
  }

  /// Agents see it; nobody waits for it.
  func settled(_ key: String, _ number: Int, _ outcome: FinalPushOutcome) async {
    guard let chat = chats.directory[key], let outcome = ChatPushOutcome(rawValue: outcome.name) else { return }
    await chat.post(
      ChatCommand(.pushSettled(number: number, outcome: outcome), policy: chats.policy(of: key)), lazy: true)
  }

  /// A chat began that names this device.
  func register(_ target: PushTarget, of serviceID: String) async {
    let entry = chats.index[serviceID]
    await dispatcher.devices.show(
      DeviceRegistration(address: address(target, of: serviceID), app: entry?.serviceName, owner: entry?.userKey))
  }

  /// Why nothing can be pushed for this chat; nil if something can, or nothing is to be.
  package func obstacle(_ target: PushTarget, of serviceID: String) -> String? {
    dispatcher.obstacle(address(target, of: serviceID), tag: Self.tag)
  }

  func push(_ push: ChatPush, of chat: Entity<ChatSession>) async {
    let serviceID = chat.id.key
    let entry = chats.index[serviceID]
    var wanted = address(push.target, of: serviceID)
    var obstacle = dispatcher.hindrance(wanted, tag: Self.tag)
    if let id = push.target.subscriptionID {
      if let terms = await dispatcher.producers.subscription(id) {
        wanted = terms.address.speaking(push.target.language)
      } else {
        obstacle = "the subscription is over"
      }
    }
    var order = PushDispatcher.Order(
      id: PushID(producer: serviceID, number: push.number), address: wanted, tag: Self.tag,
      app: entry?.serviceName ?? "", owner: entry?.userKey)
    order.obstacle = obstacle
    // The machine goes on without pushes; once for each phase is enough to say so. Spec: GMS 7.1.
    order.isNoted = push.ordinal == 1
    order.alert = text(of: push, serviceID)
    order.content = Self.content(
      push, text: order.alert, serviceID: serviceID, transcriptBytes: dispatcher.limits.pushTranscriptBytesMaximum)
    order.compactContent = Self.content(push, text: order.alert, serviceID: serviceID, transcriptBytes: nil)
    order.attemptsMaximum = chats.option(ChatOptions.keys.pushAttempts, of: serviceID)
    await dispatcher.push(order)
  }

  // MARK: Parts

  /// What a chat's push says, in the language that the app has asked for. Spec: GMS 8.3, localized texts.
  private func text(of push: ChatPush, _ serviceID: String) -> String {
    let isSet = chats.setOption(ChatOptions.keys.pushMessage, of: serviceID) != nil
    return chats.options.current.texts.chatAlert(language: push.target.language, plain: isSet ? push.message : nil)
  }

  private func address(_ target: PushTarget, of serviceID: String) -> PushAddress {
    let debug = target.debug || chats.option(ChatOptions.keys.usesDebugCredentials, of: serviceID)
    let configured = chats.option(ChatOptions.keys.provider, of: serviceID)
    // What cannot be cleaned is sent as it came: the provider says what is wrong with it.
    let deviceID = (try? DeviceIdentifier.cleaned(target.deviceID, type: target.type)) ?? target.deviceID
    return PushAddress(
      type: target.type, deviceID: deviceID, provider: target.provider ?? (configured.isEmpty ? nil : configured),
      language: target.language,
      debug: debug)
  }

  /// The chat push message. Spec: GMS 7.2.
  /// - Parameter transcriptBytes: the bound of the texts in `lastTranscript`, which leaves out the oldest; nil for none.
  static func content(_ push: ChatPush, text: String, serviceID: String, transcriptBytes: Int?) -> [UInt8] {
    JSONWriter.exactObject(capacity: 256) { content in
      content.member("message", text)
      content.member("serviceId", serviceID)
      guard var room = transcriptBytes else { return }
      let lines = push.lastTranscript.reversed().prefix { line in
        room -= line.text.utf8.count
        return room >= 0
      }
      content.objects("lastTranscript", lines.reversed()) { line, object in
        object.member(named: line.type.rawValue, line.text)
      }
    }
  }
}

extension PushAddress {
  /// The same, for texts in this language.
  fileprivate func speaking(_ language: String?) -> PushAddress {
    PushAddress(
      type: type, deviceID: deviceID, provider: provider, language: language ?? self.language, debug: debug,
      authorization: authorization)
  }
}
