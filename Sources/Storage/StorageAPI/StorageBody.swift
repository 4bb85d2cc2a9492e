import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import StorageEngine

/// What a request brings to be stored: a form, JSON, or parts of which some are files. Spec: GMS 2.3, 11.
package struct StorageBody {
  private let uploads: [StorageUpload]
  /// The body itself, where it is none of these.
  private let whole: StorageUpload.Content?
  private let contentType: String

  init(_ request: Request, limits: EdgeLimits) async throws {
    let body = try await request.bytes(upTo: limits.storageBodyBytesMaximum)
    let type = MediaType(request.headers[.contentType])
    contentType = type?.name ?? "none"
    let begins = body.first { !RequestParameters.isBlank($0) }
    if type?.name == MediaType.multipart, begins != UInt8(ascii: "{") {
      let form = try MultipartForm(body, boundary: type?.boundary ?? "", countMaximum: limits.parametersMaximum)
      var uploads: [StorageUpload] = []
      for part in form.parts { uploads.append(StorageUpload(part.name, try Self.content(part))) }
      (self.uploads, whole) = (Self.unique(uploads), nil)
      return
    }
    let isForm = type?.name == MediaType.form || type?.isJSON == true
    if begins == nil || begins == UInt8(ascii: "{") || isForm {
      let parameters = try RequestParameters(
        query: nil, contentType: request.headers[.contentType], body: body, limits: limits)
      (uploads, whole) = (parameters.pairs.map { StorageUpload($0.name, .text($0.value)) }, nil)
      return
    }
    uploads = []
    if type?.name == "text/plain", let text = String(validating: body, as: UTF8.self) {
      whole = .text(text)
    } else if let type {
      whole = .file(body, contentType: Self.contentType(type.name), name: nil)
    } else {
      whole = nil
    }
  }

  /// All that is to be stored. - Throws: for a body that is no form: 415.
  var pairs: [StorageUpload] {
    get throws(ParameterFailure) {
      guard whole == nil else { throw .unsupportedContentType(contentType) }
      return uploads
    }
  }

  /// The one value of a key that the path names: the field of that name, the only field, or the body itself.
  func one(as key: String) throws(EdgeFailure) -> StorageUpload {
    if let whole { return StorageUpload(key, whole) }
    guard
      let upload = uploads.first(where: { ExactText($0.name) == ExactText(key) })
        ?? (uploads.count == 1 ? uploads.first : nil)
    else {
      throw .missingParameter(key)
    }
    return StorageUpload(key, upload.content)
  }

  /// A part is a file if it has a file's name, or is said to be something else than text.
  private static func content(_ part: MultipartForm.Part) throws(ParameterFailure) -> StorageUpload.Content {
    let type = part.contentType?.lowercased()
    if part.fileName != nil || (type ?? "text/plain") != "text/plain" {
      return .file(
        Array(part.content), contentType: contentType(type ?? "application/octet-stream"), name: part.fileName)
    }
    guard let text = part.text else { throw .invalidText(field: part.name) }
    return .text(text)
  }

  /// It will stand in a header: what could not is as good as none.
  package static func contentType(_ text: String) -> String {
    let isUsable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && text.split(separator: "/").count == 2
    return isUsable ? text : "application/octet-stream"
  }

  /// A later value of a name replaces an earlier one, in its place.
  private static func unique(_ uploads: [StorageUpload]) -> [StorageUpload] {
    var places: [ExactText: Int] = [:]
    var unique: [StorageUpload] = []
    for upload in uploads {
      if let place = places[ExactText(upload.name)] {
        unique[place] = upload
      } else {
        places[ExactText(upload.name)] = unique.count
        unique.append(upload)
      }
    }
    return unique
  }
}
