import CallbackDomain
import CallbackEngine
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird

extension CallbackOrder {
  /// What an app's request asks for. Spec: GMS 9.1.
  init(_ parameters: RequestParameters, _ request: Request, limits: EdgeLimits) throws(EdgeFailure) {
    self.init(
      fields: parameters.callbackFields, userKey: try request.userKey(limits: limits),
      acceptLanguage: request.headers[.acceptLanguage])
  }
}

extension CallbackQuery {
  /// Each parameter but `operand`, `_limit` and `_after` is a condition. Spec: GMS 9.5.
  init(_ parameters: RequestParameters, service: String?) throws(EdgeFailure) {
    self.init(
      service: service,
      conditions: parameters.callbackFields.filter { !Self.ownNames.contains($0.name) }.map { field in
        let isNegated = field.value.hasPrefix("!")
        return Condition(
          name: field.name, value: isNegated ? String(field.value.dropFirst()) : field.value, isNegated: isNegated)
      })
    switch parameters.first(of: "operand")?.uppercased() {
    case nil, "AND": break
    case "OR": needsOneOnly = true
    default: throw .badParameter("operand", "is neither AND nor OR")
    }
    limit = try parameters.integer("_limit", in: 1...EdgeLimits.callbacksListedMaximum) ?? limit
    after = parameters.first(of: "_after")
  }

  /// No field of a callback is found by these names.
  private static let ownNames: Set = ["operand", "_limit", "_after"]
}

extension CallbackQueueFilter {
  /// From a quarter of an hour ago to a day ahead, if the request does not say. Spec: GMS 9.5.
  init(_ parameters: RequestParameters, now: Timestamp) throws(EdgeFailure) {
    self.init(
      service: parameters.first(of: "target"),
      from: try parameters.time("start_time") ?? now.advanced(by: .seconds(-900)),
      to: try parameters.time("end_time") ?? now.advanced(by: .seconds(86_400)))
    guard from <= to else { throw .badParameter("end_time", "is before start_time") }
    for name in Options.list(parameters["states"] ?? "") {
      guard let status = CallbackStatus(name: name) else {
        throw .badParameter("states", "is not a list of \(CallbackStatus.allCases.map(\.name).joined(separator: ", "))")
      }
      statuses.insert(status)
    }
    limit = try parameters.integer("max", in: 1...EdgeLimits.callbacksListedMaximum) ?? limit
    after = parameters.first(of: "after")
  }
}

extension RequestParameters {
  var callbackFields: [NameValuePair] {
    pairs.filter { $0.name != "_verbose" }.map { NameValuePair($0.name, $0.value) }
  }

  /// A time, ISO 8601 in UTC; nil if the parameter is missing or empty.
  func time(_ name: String) throws(EdgeFailure) -> Timestamp? {
    guard let text = first(of: name) else { return nil }
    guard let time = Timestamp(iso8601: text) else {
      throw .badParameter(name, "is not a time such as 2026-03-01T09:15:00Z")
    }
    return time
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(EdgeFailure) -> Int? {
    guard let text = first(of: name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .badParameter(name, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension EdgeLimits {
  /// Records that one operator's query may ask for.
  static let callbacksListedMaximum = 500
  /// Ids that one request may cancel.
  static let callbacksCancelledMaximum = 1_000
  static let availabilityDaysMaximum = 366
  static let availabilitySlotsMaximum = 20_000
}
