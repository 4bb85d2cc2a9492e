/// Why the parameters of a request cannot be read. Spec: GMS 2.3.
package enum ParameterFailure: Error, Equatable {
  /// A name or value is not UTF-8, or has a `%` without two hexadecimal digits.
  case invalidText(field: String)
  case tooManyParameters(limit: Int)
  /// A part of a form is a file, where files mean nothing.
  case fileNotTaken(field: String)
  case malformedJSON(String)
  case malformedMultipart(String)
  /// Neither JSON, nor a form, nor multipart: 415.
  case unsupportedContentType(String)
}
