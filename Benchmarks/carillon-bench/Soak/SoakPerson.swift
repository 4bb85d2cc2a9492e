/// A customer with a phone. All that is theirs holds their mark, so that nothing can be overlooked once they are erased.
struct SoakPerson: Sendable {
  /// Before each mark.
  static let prefix = "soakmark"
  static let digits = 16

  let number: UInt64
  let user: String
  /// Where their pushes go.
  let device: String
  var mark: String { Self.mark(number) }

  /// - Parameter place: the index of the customer whom this person is, one after the other.
  init(number: UInt64, place: Int, receiver: WebhookReceiver) {
    self.number = number
    user = "user-" + Self.mark(number)
    device = receiver.url(of: place) + "/" + Self.mark(number)
  }

  private static func mark(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
