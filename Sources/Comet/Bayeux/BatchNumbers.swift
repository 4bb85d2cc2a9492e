/// The numbers of a session's batches, made from transcript positions: a server that was restarted reads from the number
/// that the client names what the client has.
///
/// ```
///   number = sum over the chats of the highest position sent << 13 | batches since that sum changed
/// ```
/// A number rises with each batch and stays below 2^30, which every client can count. Where the pattern does not hold
/// (positions beyond it, or thousands of batches without a chat's event) plain numbers from 2^30 on say nothing more
/// than their order. Spec: Bayeux reference, 16, ack.
struct BatchNumbers: Sendable, Equatable {
  static let positionShift = 13
  static let plainFirst = 1 << 30
  /// A client may name any number; counting on from it must not overflow, nor leave what JavaScript can count.
  static let learnedMaximum = 1 << 40

  /// The number of the last batch closed; an empty reply repeats it.
  private(set) var last = 0
  /// The highest position sent of each chat.
  private(set) var sent: [String: Int]
  private var isPlain = false

  /// - Parameter delivered: what the client is known to have, by chat.
  init(delivered: [String: Int] = [:]) { sent = delivered }

  private var sum: Int { sent.values.reduce(0, +) }

  /// What a connect reply says that carries nothing.
  mutating func ofEmptyReply() -> Int {
    last = max(last, 1)
    return last
  }

  /// Closes a batch that carries these events.
  mutating func close(over events: [QueuedEvent]) -> Int {
    for event in events {
      guard let mark = event.message.mark, mark.isOfTranscript else { continue }
      sent[mark.source] = max(sent[mark.source] ?? 0, mark.position)
    }
    let next = max(last + 1, sum << Self.positionShift)
    isPlain = isPlain || next >= Self.plainFirst || next >> Self.positionShift != sum
    last = isPlain ? max(last + 1, Self.plainFirst) : next
    return last
  }

  /// Takes the number that a client names first after a restart. - Returns: the chat of which it has events that nobody
  /// knew it has, and how far; nil if there is none, or if it could be of several.
  /// - Parameter waiting: the chats that have events for it.
  mutating func learn(_ number: Int, waiting: Set<String>) -> DeliveryMark? {
    guard number > 0 else { return nil }
    last = max(last, min(number, Self.learnedMaximum))
    isPlain = number >= Self.plainFirst
    guard !isPlain, waiting.count == 1, let source = waiting.first else { return nil }
    let more = number >> Self.positionShift - sum
    guard more > 0 else { return nil }
    let mark = DeliveryMark(source: source, position: (sent[source] ?? 0) + more)
    sent[source] = mark.position
    return mark
  }
}
