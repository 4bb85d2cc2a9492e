public import EventSourcing

/// What a chat wants done outside, once the event that caused it is durable.
public enum ChatEffect: Sendable, Equatable {
  /// One notification with these events to each of these Comet sessions (clientIds), in order.
  /// An empty `events` never occurs. Spec: GMS 4.7, 6.5.
  /// - Parameter isCatchUp: what the session missed, from what the app is known or said to have; else a new line.
  case publish(sessions: [String], events: [TranscriptEvent], ended: Bool, isCatchUp: Bool = false)
  /// To all agents' event streams.
  case notifyAgents(AgentNotification)
  case startTimer(ChatTimer, at: Timestamp)
  case cancelTimer(ChatTimer)
  /// Owed until `pushHandedOver(number:)`; after a restart it appears again with the same number.
  case push(ChatPush)
  /// Pushes go to this device from now on: the registry of devices follows.
  case pushTargetNamed(PushTarget)
  /// The chat began: the directory learns its user and its session id.
  case opened
  /// The chat is over; the instance lives on until its time to live has passed.
  case ended
  /// The instance is gone.
  case expired
}

public enum ChatTimer: Sendable, Hashable {
  /// Fires `pushDelayElapsed(phase:)`.
  case pushDelay(phase: Int)
  /// Fires `timeToLiveElapsed`.
  case timeToLive
  /// Fires `offerElapsed(until:)`.
  case offer(until: Timestamp)
}

public enum AgentNotification: Sendable, Equatable {
  /// A chat waits for an agent.
  case waiting
  case line(AgentLine)
  case customerOnline(Bool)
  /// The preview of what the customer is typing.
  case typingPreview(String)
  case dataChanged
  /// An agent has read up to here: the concern of that one alone.
  case read(agentID: String, position: Int)
  /// An agent may join.
  case invited(agentID: String)
  /// It is for the agents of this service from now on.
  case deskChanged(to: String)
  /// What became of a push.
  case pushSettled(HandedPush)
  /// It is this agent's to take: their concern alone, as how that ends.
  case offered(ChatOffer)
  case offerEnded(ChatOffer, ChatOfferEnd)
  case ended
}

/// One push of a chat. Spec: GMS 7.2.
public struct ChatPush: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the chat: the queue knows a repetition by it.
  public let number: Int
  /// The background phase, counted from 1, and the push's number within that phase, counted from 1.
  public let phase: Int
  public let ordinal: Int
  public let target: PushTarget
  /// The `message` of the push.
  public let message: String
  /// The qualifying events since the previous push of this phase, oldest first.
  public let lastTranscript: [PushedLine]
  /// The highest position in `lastTranscript`.
  public let position: Int

  public init(
    number: Int, phase: Int, ordinal: Int, target: PushTarget, message: String, lastTranscript: [PushedLine],
    position: Int
  ) {
    self.number = number
    self.phase = phase
    self.ordinal = ordinal
    self.target = target
    self.message = message
    self.lastTranscript = lastTranscript
    self.position = position
  }
}

/// One entry of `lastTranscript`: `{"Message.Text":"…"}` on the wire.
public struct PushedLine: Sendable, Equatable, Codable {
  public let type: TranscriptEventType
  public let text: String

  public init(_ type: TranscriptEventType, _ text: String) {
    self.type = type
    self.text = text
  }
}
