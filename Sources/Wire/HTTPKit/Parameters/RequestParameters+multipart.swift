extension RequestParameters {
  /// Adds the parts of a `multipart/form-data` body. Every part must be a text in UTF-8. A file means nothing here, and is
  /// refused: its sender would believe that it has arrived. (A form's field for a file that nobody chose is an empty part
  /// without a file's name.)
  package mutating func addMultipart(_ body: [UInt8], boundary: String) throws(ParameterFailure) {
    for part in try MultipartForm(body, boundary: boundary, countMaximum: countMaximum).parts {
      if let name = part.fileName {
        guard name.isEmpty, part.content.isEmpty else { throw .fileNotTaken(field: part.name) }
        continue
      }
      guard let text = part.text else { throw .invalidText(field: part.name) }
      try set(part.name, text)
    }
  }
}
