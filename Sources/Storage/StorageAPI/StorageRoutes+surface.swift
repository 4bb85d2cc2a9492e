import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: GMS 11.
extension StorageRoutes {
  package static let surface = RoutedSurface<StorageRoutes>(
    "storage",
    """
    Short-lived texts and files. What is stored with a `gms_user` is its alone; else whoever has the id may read, change \
    and delete it. An instance's data open as its chat does. What is stored by a form, or as JSON, are texts; parts of a \
    multipart form that have a file's name are files, and are read back by `binary`. A life time that is no number of \
    seconds becomes 30; one beyond `limits.stored_seconds` is refused.
    """, kept + instances,
    schemas: [("StoredID", .object([.required("id")])), ("StoredValues", .map(of: .text))])

  private static let kept: [Operation<StorageRoutes>] = [
    Operation(
      .post, "/genesys/1/storage/{id}", "store", "Store", access: .customer, budget: .uploads,
      parameters: [.path("id", "The life time in seconds.", .text(pattern: "^[0-9]{1,7}$")), user], body: values,
      answers: [
        .json(
          200, "The id.", .named("StoredID"),
          links: [APILink(to: "getStored", "id", from: "/id"), APILink(to: "deleteStored", "id", from: "/id")])
      ], failures: [400, 404, 415]
    ) { try await $0.create($1, $2) },
    Operation(
      .post, "/genesys/1/storage/custom/{customId}/{ttl}", "storeCustom", "Store under an id of one's own",
      about: "Only the same `gms_user` sees it.", access: .customer, budget: .uploads,
      parameters: [
        .path("customId", "The id."), .path("ttl", "The life time in seconds.", .text(pattern: "^[0-9]{1,7}$")),
        .userKey,
      ],
      body: values, answers: [.json(200, "The id.", .named("StoredID"))], failures: [400, 404, 409, 415]
    ) { try await $0.createCustom($1, $2) },
    get("/genesys/1/storage/{id}", "getStored", "All of it", [id, user], allValues) {
      try await $0.all($1, $2, at: $0.stored)
    },
    delete("/genesys/1/storage/{id}", "deleteStored", "Delete all of it", [id, user]) {
      try await $0.delete($1, $2, at: $0.stored)
    },
    Operation(
      .post, "/genesys/1/storage/{id}/{key}", "updateStored", "Add or replace keys, and renew the life time",
      access: .customer, budget: .uploads,
      parameters: [id, .path("key", "The life time in seconds.", .text(pattern: "^[0-9]{1,7}$")), user], body: values,
      answers: [.json(200, "The id.", .named("StoredID"))], failures: [400, 404, 415]
    ) { try await $0.update($1, $2) },
    get("/genesys/1/storage/{id}/{key}", "getStoredValue", "One value", [id, key, user], value) {
      try await $0.one($1, $2, at: $0.stored)
    },
    delete("/genesys/1/storage/{id}/{key}", "deleteStoredValue", "Delete one value", [id, key, user]) {
      try await $0.deleteValue($1, $2, at: $0.stored)
    },
    file("/genesys/1/storage/binary/{id}/{key}", "getStoredFile", [id, key, user]) {
      try await $0.file($1, $2, at: $0.stored)
    },
  ]

  /// Of an instance: what is attached to it, with what was stored over it.
  private static let instances: [Operation<StorageRoutes>] = [
    Operation(
      .post, "/genesys/1/service/{service}/storage", "storeInInstance", "Store in an instance", access: .customer,
      budget: .uploads,
      parameters: [.serviceID, user], body: values, answers: [done], failures: [400, 404, 415]
    ) { try await $0.storeInInstance($1, $2) },
    get(
      "/genesys/1/service/{service}/storage", "getInstanceValues", "All data of an instance", [.serviceID, user],
      allValues
    ) { try await $0.all($1, $2, at: $0.instance) },
    delete(
      "/genesys/1/service/{service}/storage", "deleteInstanceValues", "Delete what was stored", [.serviceID, user]
    ) { try await $0.delete($1, $2, at: $0.instance) },
    Operation(
      .post, "/genesys/1/service/{service}/storage/{key}", "storeValueInInstance", "Store one value in an instance",
      about: "The field of that name, the only field, or a body of any other type as a file.", access: .customer,
      budget: .uploads,
      parameters: [.serviceID, key, user],
      body: APIBody(
        content: [
          (MediaType.json, .map(of: .text)), (MediaType.form, .map(of: .text)), ("text/plain", .text),
          ("application/octet-stream", .bytes),
        ], isRequired: true), answers: [done], failures: [400, 404, 415]
    ) { try await $0.storeValueInInstance($1, $2) },
    get("/genesys/1/service/{service}/storage/{key}", "getInstanceValue", "One value", [.serviceID, key, user], value) {
      try await $0.one($1, $2, at: $0.instance)
    },
    delete(
      "/genesys/1/service/{service}/storage/{key}", "deleteInstanceValue", "Delete one stored value",
      [.serviceID, key, user]
    ) { try await $0.deleteValue($1, $2, at: $0.instance) },
    file("/genesys/1/service/{service}/storage/binary/{key}", "getInstanceFile", [.serviceID, key, user]) {
      try await $0.file($1, $2, at: $0.instance)
    },
  ]

  // MARK: Parts

  private static let id: APIParameter = .path("id", "The id.")
  private static let key: APIParameter = .path("key", "The name of the value.")
  private static let user = APIParameter.ownerKey

  private static let values = APIBody(
    content: [
      (MediaType.json, .map(of: .text)), (MediaType.form, .map(of: .text)),
      (MediaType.multipart, .object([.optional("text"), .optional("file", .bytes)])),
    ], isRequired: false)

  private static let done = APIAnswer.json(200, "It is done.", APISchema(["type": "object"]))
  private static let allValues = APIAnswer.json(200, "Texts by name; of a file its URL.", .named("StoredValues"))
  private static let value = APIAnswer(200, "The text; of a file its URL.", [("text/plain", .text)])

  private static func get(
    _ path: String, _ id: String, _ summary: String, _ parameters: [APIParameter], _ answer: APIAnswer,
    _ handler: @escaping Operation<StorageRoutes>.Handler
  ) -> Operation<StorageRoutes> {
    Operation(
      .get, path, id, summary, access: .customer, parameters: parameters, answers: [answer], failures: [400, 404],
      handler)
  }

  private static func delete(
    _ path: String, _ id: String, _ summary: String, _ parameters: [APIParameter],
    _ handler: @escaping Operation<StorageRoutes>.Handler
  ) -> Operation<StorageRoutes> {
    Operation(
      .delete, path, id, summary, access: .customer, parameters: parameters, answers: [done], failures: [400, 404],
      handler)
  }

  private static func file(
    _ path: String, _ id: String, _ parameters: [APIParameter], _ handler: @escaping Operation<StorageRoutes>.Handler
  ) -> Operation<StorageRoutes> {
    Operation(
      .get, path, id, "A file", about: "500 if it does not have the bytes that were stored.", access: .customer,
      parameters: parameters + [.header("If-None-Match", "An `ETag` that one has.")],
      answers: [
        APIAnswer(
          200, "The file, as it was stored; a download for browsers.", [("*/*", .bytes)],
          headers: [.required("ETag"), .required("Content-Disposition"), .required("X-Content-Type-Options")]),
        APIAnswer(304, "It is what `If-None-Match` names.", headers: [.required("ETag")]),
      ], failures: [400, 404, 500], handler)
  }
}
