import HTTPKit
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// The members of an object in a JSON body; each complaint names the member by its path. Members that nobody asks for
/// are ignored, as Zendesk does. Spec: support requests 8.
struct SupportForm {
  private let members: JSONObject
  /// Of the object itself, with a full stop behind it; empty for the body.
  private let path: String

  private init(members: JSONObject, path: String) {
    self.members = members
    self.path = path
  }

  /// - Throws: 415 for a body that is said to be something else than JSON, 400 for one that is no object.
  init(_ request: Request, limits: EdgeLimits) async throws {
    if let type = MediaType(request.headers[.contentType]), !type.isJSON {
      throw ParameterFailure.unsupportedContentType(type.name)
    }
    try self.init(try await request.bytes(limits: limits))
  }

  /// An empty body is an empty object.
  init(_ body: [UInt8]) throws(EdgeFailure) {
    guard body.contains(where: { !RequestParameters.isBlank($0) }) else {
      self.init(members: JSONObject(), path: "")
      return
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, limits: JSONLimits(depthMaximum: EdgeLimits.supportDepthMaximum))
    } catch {
      throw .malformed("The body is not a JSON object: \(error.description)")
    }
    guard let object = value.object else { throw .malformed("The body is not a JSON object") }
    self.init(members: object, path: "")
  }

  init(_ body: JSONBody) { self.init(members: body.members, path: "") }

  /// A `null` is an absent member. Spelled out: to `flatMap`, a `nil` would be the JSON value.
  private func value(_ name: String) -> JSONValue? {
    guard let value = members[name], !value.isNull else { return nil }
    return value
  }

  private func unusable(_ name: String, _ reason: String) -> SupportFailure {
    .invalid(field: path + name, reason: reason)
  }

  // MARK: Objects

  func object(_ name: String) throws(SupportFailure) -> SupportForm {
    guard let form = try optionalObject(name) else { throw .missing(field: path + name) }
    return form
  }

  /// The one object that the body is about: its own name is in no complaint.
  func record(_ name: String) throws(SupportFailure) -> SupportForm {
    SupportForm(members: try object(name).members, path: "")
  }

  func optionalObject(_ name: String) throws(SupportFailure) -> SupportForm? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else { throw unusable(name, "is not an object") }
    return SupportForm(members: object, path: path + name + ".")
  }

  /// Any JSON object, as it came.
  func json(_ name: String) throws(SupportFailure) -> [UInt8]? {
    guard let value = value(name) else { return nil }
    guard value.object != nil else { throw unusable(name, "is not an object") }
    return value.text
  }

  // MARK: Values

  /// A text that has to be there and to say something.
  func text(_ name: String) throws(SupportFailure) -> String {
    guard let text = try optionalText(name), !text.allSatisfy(\.isWhitespace) else {
      throw .missing(field: path + name)
    }
    return text
  }

  func optionalText(_ name: String) throws(SupportFailure) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw unusable(name, "is not a string") }
    return text
  }

  func optionalBool(_ name: String) throws(SupportFailure) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw unusable(name, "is not true or false") }
    return bool
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(SupportFailure) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw unusable(name, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// An id: the SDK holds some of them as texts.
  func optionalID(_ name: String) throws(SupportFailure) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let id = value.lenientInteger, id > 0 else { throw unusable(name, "is not an id") }
    return Int64(id)
  }

  func optionalTexts(_ name: String) throws(SupportFailure) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.array else { throw unusable(name, "is not an array") }
    var texts: [String] = []
    texts.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard let text = element.string else { throw unusable("\(name)[\(index)]", "is not a string") }
      texts.append(text)
    }
    return texts
  }

  /// `[{"id":360001,"value":…}]`
  func fields(_ name: String) throws(SupportFailure) -> [SupportField] {
    guard let value = value(name) else { return [] }
    guard let elements = value.array else { throw unusable(name, "is not an array") }
    var fields: [SupportField] = []
    for (index, element) in elements.enumerated() {
      guard let id = element["id"]?.lenientInteger, id > 0 else { throw unusable("\(name)[\(index)]", "has no id") }
      fields.append(SupportField(id: Int64(id), value: (element["value"] ?? .null).text))
    }
    return fields
  }

  func status(_ name: String) throws(SupportFailure) -> SupportStatus? {
    guard let text = try optionalText(name) else { return nil }
    guard let status = SupportStatus(name: text) else { throw .unknownStatus(field: path + name) }
    return status
  }
}

extension SupportFailure {
  static func unknownStatus(field: String) -> SupportFailure {
    let names = SupportStatus.allCases.map(\.name).joined(separator: ", ")
    return .invalid(field: field, reason: "is not one of \(names)")
  }
}
