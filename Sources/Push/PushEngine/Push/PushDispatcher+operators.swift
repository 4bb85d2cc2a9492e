import EngineKit
import EntityRuntime
import EventSourcing
package import JSONEnvelope
import OptionKit
import PushDomain

/// What operators are told as it happens: POST to the option `push.events_url`, signed as all webhooks are. Nothing is
/// told while the option is not set. Spec: providers 1.4, 4.1, 4.4.
///
/// | event | `data` |
/// |---|---|
/// | `endpoint.disabled` | `lane`, `endpoint` (masked), `reason` |
/// | `device.ended` | `device`, `type`, `reason`; of a support user: `user` |
/// | `message.exhausted` | `id`, `device`, `number`, `type`, `tag`, `service`, `outcome`, `reason`, `attempts`, … |
///
/// An event is a push like others: it waits in a queue of its own, is tried again, and becomes a dead letter. It holds
/// no text, no token and no name of a customer: what is known by an id is asked for by it.
package struct OperatorEvents: PushProducer {
  package static let prefix = "event/"
  /// The push type; served by a courier of the rim.
  static let type = PushType.operatorEvents.rawValue
  package static let tag = "push.event"

  /// Nobody owes them: an event is told once, by its name.
  package func accepted(_ key: String, _ number: Int) async {}
}

extension PushDispatcher {
  func endpointDisabled(_ lane: CourierLane, reason: String) async {
    // Else it would go to the very endpoint that is switched off.
    guard lane.label != "webhook:\(OperatorEvents.type)" else { return }
    await tellOperators(
      .endpointDisabled, once: "endpoint/\(identifiers.uuid())"
    ) { data in
      data.member("lane", lane.label)
      data.member("endpoint", lane.endpoint)
      data.member("reason", reason)
    }
  }

  func deviceEnded(_ key: String, type: String, reason: String) async {
    let at = context.time.now
    await tellOperators(.deviceEnded, once: "device/\(key)/\(at.milliseconds)") { data in
      data.member("device", key)
      data.member("type", type)
      data.member("reason", reason)
    }
  }

  /// A push has become a dead letter.
  func exhausted(_ letter: DeadLetter, of queue: String) async {
    let message = letter.message
    guard message.target.type != OperatorEvents.type else { return }
    let uuid = PushUUID.text(of: message.id)
    await tellOperators(
      .messageExhausted, once: "message/\(uuid)/\(letter.endedAt.milliseconds)"
    ) { data in
      data.member("id", uuid)
      data.member("device", queue)
      data.member("number", message.number)
      data.member("type", message.target.type)
      data.member("tag", message.tag)
      data.member("service", message.service)
      data.member("outcome", letter.outcome.name)
      data.member("reason", letter.reason)
      data.member("attempts", letter.attempts)
      data.member("acceptedAt", letter.acceptedAt.iso8601)
      data.member("endedAt", letter.endedAt.iso8601)
    }
  }

  /// - Parameters:
  ///   - name: of this one thing that has happened: told twice, it is one event.
  ///   - data: writes what there is to say of it.
  package func tellOperators(
    _ event: OperatorEventName, once name: String, _ data: (inout JSONObjectWriter) -> Void
  ) async {
    let target = PushAddress(type: OperatorEvents.type, deviceID: "operator")
    guard pushOptions(target, tag: OperatorEvents.tag)[OperatorEventOptions.keys.url] != nil else { return }
    let now = context.time.now
    let content = JSONWriter.object { object in
      object.member("type", event.rawValue)
      object.member("timestamp", now.iso8601)
      object.object("data", data)
    }
    _ = await enqueue(
      PushMessage(
        producer: OperatorEvents.prefix + name, number: 1, tag: OperatorEvents.tag, alert: "", content: content,
        service: "",
        target: target, attemptsMaximum: limits.supportAttemptsMaximum,
        expiry: now.advanced(by: .seconds(limits.supportPushSecondsDefault)), priority: .normal,
        form: .members))
  }
}

/// What operators are told of: the `type` of the body.
public enum OperatorEventName: String, Sendable, CaseIterable {
  case endpointDisabled = "endpoint.disabled"
  case deviceEnded = "device.ended"
  case messageExhausted = "message.exhausted"
}
