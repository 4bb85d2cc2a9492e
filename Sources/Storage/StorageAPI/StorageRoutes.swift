import EngineKit
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
package import StorageEngine

/// Short-lived texts and files, and the data of service instances. Spec: GMS 11.
///
/// What is stored with a `gms_user` opens only to it; else the id is the key. An instance opens as its chat does.
///
/// | | |
/// |---|---|
/// | `POST /genesys/1/storage/{ttl}` | stores: `{"id":…}` |
/// | `POST /genesys/1/storage/custom/{customId}/{ttl}` and `gms_user` | stores under an id of the user's own |
/// | `POST /genesys/1/storage/{id}/{ttl}` | adds and replaces keys, renews the life time |
/// | `GET`, `DELETE /genesys/1/storage/{id}` | all keys |
/// | `GET`, `DELETE /genesys/1/storage/{id}/{key}` | one of them |
/// | `GET /genesys/1/storage/binary/{id}/{key}` | a file |
/// | `GET`, `POST`, `DELETE /genesys/1/service/{id}/storage[/{key}]`, `GET …/storage/binary/{key}` | the same of an instance |
package struct StorageRoutes: Sendable {
  let storage: StorageService
  let access: ServiceAccess
  let limits: EdgeLimits
  let address: PublicAddress

  package init(storage: StorageService, access: ServiceAccess, limits: EdgeLimits, address: PublicAddress) {
    self.storage = storage
    self.access = access
    self.limits = limits
    self.address = address
  }

  /// Finds what a request is about, for somebody who may have it.
  typealias Locator = (Request, EdgeRequestContext) async throws -> StoragePlace

  // MARK: Storing

  func create(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try access.check(request, service: nil)
    let owner = try request.userKey(limits: limits)
    let id = try await storage.create(
      try await uploads(request), seconds: Self.seconds(try path("id", context)), owner: owner,
      from: context.storageSource)
    return .object { $0.member("id", id) }
  }

  func createCustom(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try access.check(request, service: nil)
    guard let user = try request.userKey(limits: limits), !user.isEmpty else {
      throw EdgeFailure.missingParameter("gms_user")
    }
    let id = try path("customId", context)
    try await storage.create(
      try await uploads(request), seconds: Self.seconds(try path("ttl", context)), customID: id, user: user,
      from: context.storageSource)
    return .object { $0.member("id", id) }
  }

  /// The last part of its path is the life time.
  func update(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let place = try stored(request, context)
    try await storage.update(
      place, try await uploads(request), seconds: Self.seconds(try path("key", context)), from: context.storageSource)
    let id = try path("id", context)
    return .object { $0.member("id", id) }
  }

  func storeInInstance(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try await storage.update(
      try await instance(request, context), try await uploads(request), seconds: 0, from: context.storageSource)
    return .object { _ in }
  }

  func storeValueInInstance(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let place = try await instance(request, context)
    let upload = try await StorageBody(request, limits: limits).one(as: try path("key", context))
    try await storage.update(place, [upload], seconds: 0, from: context.storageSource)
    return .object { _ in }
  }

  private func uploads(_ request: Request) async throws -> [StorageUpload] {
    try await StorageBody(request, limits: limits).pairs
  }

  /// Spec: GMS 11, a wrong value becomes 30. One that is only too large for us stays too large.
  package static func seconds(_ text: String) -> Int {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let seconds = Int(text) ?? (isNumber ? .max : nil), seconds > 0 else { return StorageService.secondsDefault }
    return seconds
  }

  // MARK: Deleting

  func delete(_ request: Request, _ context: EdgeRequestContext, at locate: Locator) async throws -> Response {
    try await storage.delete(try await locate(request, context), from: context.storageSource)
    return .object { _ in }
  }

  func deleteValue(_ request: Request, _ context: EdgeRequestContext, at locate: Locator) async throws -> Response {
    try await storage.delete(
      try path("key", context), of: try await locate(request, context), from: context.storageSource)
    return .object { _ in }
  }

  // MARK: Reading

  func all(_ request: Request, _ context: EdgeRequestContext, at locate: Locator) async throws -> Response {
    let place = try await locate(request, context)
    let values = try await storage.values(place)
    return .object { object in
      for (name, value) in values {
        object.member(named: name, self.text(of: value, name, place, request, context))
      }
    }
  }

  func one(_ request: Request, _ context: EdgeRequestContext, at locate: Locator) async throws -> Response {
    let place = try await locate(request, context)
    let name = try path("key", context)
    let text = text(of: try await storage.value(name, of: place), name, place, request, context)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/plain;charset=UTF-8", .cacheControl: "no-cache, no-store",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// Not for the browser to show: an app's file may be a page, and it would be one of ours.
  func file(_ request: Request, _ context: EdgeRequestContext, at locate: Locator) async throws -> Response {
    let place = try await locate(request, context)
    let file = try await storage.file(try path("key", context), of: place)
    let tag = EntityTag.of(digest: file.digest)
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if request.headers[.ifNoneMatch].map({ EntityTag.names(tag, $0) }) == true {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = file.contentType
    headers[.contentDisposition] = PathText.attachment(file.name)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  /// Files appear as URL. Spec: GMS 11.
  private func text(
    of value: StorageValue, _ name: String, _ place: StoragePlace, _ request: Request, _ context: EdgeRequestContext
  ) -> String {
    switch value {
    case .text(let text): return text
    case .file:
      let url = ExternalURL(address, access.options.current, request, context)
      let key = PathText.encode(name)
      return switch place {
      case .id(let id, _): "\(url.base)/1/storage/binary/\(PathText.encode(id))/\(key)"
      case .instance(let id, _): "\(url.instance(id))/storage/binary/\(key)"
      }
    }
  }

  // MARK: Parts of requests

  private func path(_ name: String, _ context: EdgeRequestContext) throws -> String {
    guard let text = PathText.decode(try context.parameters.require(name)) else { throw EdgeFailure.notFound }
    return text
  }

  func stored(_ request: Request, _ context: EdgeRequestContext) throws -> StoragePlace {
    try access.check(request, service: nil)
    return .id(try path("id", context), user: try request.userKey(limits: limits))
  }

  func instance(_ request: Request, _ context: EdgeRequestContext) async throws -> StoragePlace {
    let id = try path("service", context)
    try await access.check(request, instance: id)
    let user = try request.userKey(limits: limits)
    guard await storage.hasInstance(id, for: user) else { throw StorageFailure.unknownInstance }
    return .instance(id, user: user)
  }
}
