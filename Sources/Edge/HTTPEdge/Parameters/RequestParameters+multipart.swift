extension RequestParameters {
  /// Adds the parts of a `multipart/form-data` body. Every part must be a text in UTF-8, whether it is called a file or
  /// not.
  mutating func addMultipart(_ body: [UInt8], boundary: String) throws(ParameterFailure) {
    for part in try MultipartForm(body, boundary: boundary, countMaximum: countMaximum).parts {
      guard let text = part.text else { throw .invalidText(field: part.name) }
      try set(part.name, text)
    }
  }
}
