import FileEngine
import HTTPKit
import HTTPTypes
import Hummingbird
import StorageAPI

extension FileUpload {
  private static let partName = "file"

  /// What a request brings: its body is the file, whose name stands in the query; or it is a form with one file in it.
  init(_ request: Request, limits: EdgeLimits) async throws {
    let query = try request.queryParameters()
    if let repeated = query.repeatedName { throw EdgeFailure.badParameter(repeated, "is given more than once") }
    let body = try await request.bytes(upTo: limits.storageBodyBytesMaximum)
    let type = MediaType(request.headers[.contentType])
    if type?.name == MediaType.multipart {
      let form = try MultipartForm(body, boundary: type?.boundary ?? "", countMaximum: limits.parametersMaximum)
      try self.init(form, name: query["name"])
    } else {
      try self.init(name: query["name"], contentType: type?.name, bytes: body)
    }
  }

  /// - Parameter name: goes before that of the part.
  private init(_ form: MultipartForm, name: String?) throws(EdgeFailure) {
    let files = form.parts.filter { $0.fileName != nil || $0.name == Self.partName }
    guard let part = files.first else { throw .missingParameter(Self.partName) }
    guard files.count == 1 else { throw .badParameter(Self.partName, "is more than one: send them one by one") }
    try self.init(
      name: name ?? part.fileName, contentType: MediaType(part.contentType)?.name, bytes: Array(part.content))
  }

  private init(name: String?, contentType: String?, bytes: [UInt8]) throws(EdgeFailure) {
    guard let name, !name.isEmpty else { throw .missingParameter("name") }
    guard !bytes.isEmpty else { throw .missingParameter(Self.partName) }
    self.init(name: name, contentType: contentType.map(StorageBody.contentType), bytes: bytes)
  }
}
