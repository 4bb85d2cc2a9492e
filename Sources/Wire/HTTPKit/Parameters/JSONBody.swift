package import JSONEnvelope

/// The members of a JSON body; each complaint names the member. Spec: GMS 12.3.
package struct JSONBody: Sendable, Equatable {
  package let members: JSONObject

  /// One without members.
  package init() { members = JSONObject() }

  /// An empty body is an empty object.
  package init(_ body: [UInt8]) throws(EdgeFailure) {
    guard body.contains(where: { $0 > 0x20 }) else {
      members = JSONObject()
      return
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, limits: JSONLimits(depthMaximum: 16))
    } catch {
      throw .malformed("The body is not a JSON object: \(error.description)")
    }
    guard let object = value.object else { throw .malformed("The body is not a JSON object") }
    members = object
  }

  /// A value of any kind; nil also for null.
  package subscript(name: String) -> JSONValue? {
    // In a conditional, `nil` would be a JSON null.
    guard let value = members[name], !value.isNull else { return nil }
    return value
  }

  /// A text that must be there and not be empty.
  package func text(_ name: String) throws(EdgeFailure) -> String {
    guard let value = self[name] else { throw .missingParameter(name) }
    guard let text = value.string else { throw .badParameter(name, "is not a string") }
    guard !text.isEmpty else { throw .badParameter(name, "is empty") }
    return text
  }

  package func optionalText(_ name: String) throws(EdgeFailure) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw .badParameter(name, "is not a string") }
    return text
  }

  package func bool(_ name: String) throws(EdgeFailure) -> Bool {
    guard let value = self[name] else { throw .missingParameter(name) }
    guard let bool = value.bool else { throw .badParameter(name, "is not true or false") }
    return bool
  }

  package func optionalBool(_ name: String) throws(EdgeFailure) -> Bool? {
    guard let value = self[name] else { return nil }
    guard let bool = value.bool else { throw .badParameter(name, "is not true or false") }
    return bool
  }

  package func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(EdgeFailure) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw .badParameter(name, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func optionalObject(_ name: String) throws(EdgeFailure) -> JSONValue? {
    guard let value = self[name] else { return nil }
    guard value.object != nil else { throw .badParameter(name, "is not an object") }
    return value
  }

  package func optionalTexts(_ name: String) throws(EdgeFailure) -> [String]? {
    guard let value = self[name] else { return nil }
    guard let elements = value.array, elements.allSatisfy({ $0.string != nil }) else {
      throw .badParameter(name, "is not an array of strings")
    }
    return elements.compactMap(\.string)
  }

  /// Objects, each to be read as a body is.
  package func objects(_ name: String, maximum: Int) throws(EdgeFailure) -> [JSONBody] {
    guard let value = self[name] else { throw .missingParameter(name) }
    guard let elements = value.array, elements.count <= maximum else {
      throw .badParameter(name, "is not an array of at most \(maximum) objects")
    }
    var objects: [JSONBody] = []
    for element in elements {
      guard let object = element.object else { throw .badParameter(name, "has an element that is no object") }
      objects.append(JSONBody(members: object))
    }
    return objects
  }

  private init(members: JSONObject) { self.members = members }
}
