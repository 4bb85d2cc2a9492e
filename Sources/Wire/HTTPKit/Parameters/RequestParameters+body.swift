import JSONEnvelope

extension RequestParameters {
  /// Reads everything that a request says. Spec: GMS 2.3.
  ///
  /// - Parameters:
  ///   - query: the query string without its question mark.
  ///   - contentType: the header; clients lie in it, so a body that begins with `{` is JSON whatever it says.
  package init(query: String?, contentType: String?, body: [UInt8], limits: EdgeLimits) throws(ParameterFailure) {
    self.init(countMaximum: limits.parametersMaximum)
    if let query { try addForm(query.utf8) }
    guard let first = body.first(where: { !Self.isBlank($0) }) else { return }
    if first == UInt8(ascii: "{") {
      try addJSON(body)
      return
    }
    let type = MediaType(contentType)
    switch type?.name {
    case MediaType.form: try addForm(body)
    case MediaType.multipart: try addMultipart(body, boundary: type?.boundary ?? "")
    default:
      if type?.isJSON == true { throw .malformedJSON("a JSON object is expected") }
      throw .unsupportedContentType(type?.name ?? "none")
    }
  }

  /// Adds the members of a JSON object: numbers and truth values as texts, nested values as JSON text, nulls not at
  /// all.
  package mutating func addJSON(_ body: [UInt8]) throws(ParameterFailure) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, limits: JSONLimits(depthMaximum: 16))
    } catch {
      throw .malformedJSON(error.description)
    }
    guard let object = value.object else { throw .malformedJSON("a JSON object is expected") }
    for member in object.members where !member.value.isNull && !member.name.isEmpty {
      try set(member.name, member.value.lenientString ?? String(decoding: member.value.text, as: UTF8.self))
    }
  }

  package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
