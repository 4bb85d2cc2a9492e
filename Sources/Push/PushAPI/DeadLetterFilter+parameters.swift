import EventSourcing
import HTTPKit
import PushDomain
import PushEngine

extension DeadLetterFilter {
  /// - Throws: naming the member that cannot be used.
  init(_ body: JSONBody) throws(EdgeFailure) {
    var texts: [String: String] = [:]
    for name in Self.names { texts[name] = try body.optionalText(name) }
    try self.init { texts[$0] }
  }

  static let names = ["device", "producer", "type", "tag", "service", "outcome", "from", "until"]

  /// - Parameter text: what a parameter says; nil if it is not there.
  init(_ text: (String) -> String?) throws(EdgeFailure) {
    self.init()
    (device, producer, type) = (text("device"), text("producer"), text("type"))
    (tag, service, outcome) = (text("tag"), text("service"), text("outcome"))
    if let outcome, !FinalPushOutcome.names.contains(outcome) {
      throw .badParameter("outcome", "is not one of " + FinalPushOutcome.names.joined(separator: ", "))
    }
    from = try Self.time("from", text("from"))
    until = try Self.time("until", text("until"))
  }

  private static func time(_ name: String, _ text: String?) throws(EdgeFailure) -> Timestamp? {
    guard let text else { return nil }
    guard let time = Timestamp(iso8601: text) else {
      throw .badParameter(name, "is not a date like 2026-11-20T22:45:00Z")
    }
    return time
  }
}
