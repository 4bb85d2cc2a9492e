/// Why a request is not usable for what it says; it never reaches the engine. Spec: GCM B5, F1.
public struct DownstreamRefusal: Error, Sendable, Equatable {
  /// The word of the published table. Nil: the request is not even of the right form, which HTTP answers with 400.
  public let code: DownstreamError?
  /// One line for the developer, in the words of the real service where they are known. Spec: GCM B5.1.
  public let text: String
  /// The path of the field that is to blame, in the spelling of its protocol.
  public let field: String?
  /// Each fault by itself, where there are several.
  let violations: [FieldViolation]
  /// What the request was meant for, once that is known: it decides on the form of the answer.
  public internal(set) var target: DownstreamTarget?

  public init(code: DownstreamError, text: String) { self.init(code, text) }

  init(_ code: DownstreamError? = nil, _ text: String, field: String? = nil) {
    self.code = code
    self.text = text
    self.field = field
    violations = []
  }

  /// - Parameter violations: at least one.
  init(code: DownstreamError, violations: [FieldViolation]) {
    self.code = code
    self.violations = violations
    text = violations.map(\.description).joined(separator: "\n")
    field = violations.first?.field
  }

  /// The answer that has the code for each target; nil for a request of the wrong form.
  public var answer: DownstreamAnswer? {
    code.map { DownstreamAnswer($0, for: target ?? .recipient("")) }
  }
}

/// One field that is to blame, as `google.rpc.BadRequest` has it.
struct FieldViolation: Sendable, Equatable {
  /// Nil: the request itself.
  let field: String?
  let description: String
}

extension DownstreamRefusal {
  static func wrongType(_ field: String, _ type: StaticString, _ value: String) -> Self {
    Self(nil, "Field \"\(field)\" must be a JSON \(type): \(excerpt(of: value))", field: field)
  }

  static func invalidValue(
    _ field: String, _ value: String, _ rule: String, code: DownstreamError? = nil
  ) -> Self {
    Self(code, "Invalid value (\(excerpt(of: value))) for \"\(field)\": \(rule)", field: field)
  }

  static func reservedKey(_ key: String, field: String = "data") -> Self {
    Self(.invalidDataKey, "\"\(field)\" key \"\(excerpt(of: key))\" is a reserved keyword", field: field)
  }

  static func tooBig(_ field: String, limit: Int) -> Self {
    Self(.messageTooBig, "\"\(field)\" is larger than \(limit) bytes", field: field)
  }

  static func timeToLive(_ value: String, field: String = "time_to_live") -> Self {
    invalidValue(
      field, value, "must be between 0 and \(DownstreamLimits.timeToLiveMaximum)", code: .invalidTimeToLive)
  }

  /// What a request says may come back in the answer to it, but only a line's worth.
  static func excerpt(of value: String) -> String {
    let characters = value.unicodeScalars.prefix(DownstreamLimits.excerptCharactersMaximum)
      .map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) }
    return String(characters)
  }
}
