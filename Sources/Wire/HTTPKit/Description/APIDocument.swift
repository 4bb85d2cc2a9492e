import Crypto
import HTTPTypes
package import JSONEnvelope
import TextEncoding

/// The description of all that Carillon says over HTTP, for people and for tools. Spec: OpenAPI 3.1.
package struct APIDocument: Sendable {
  /// What it says of the whole.
  package let about: String
  package let surfaces: [APISurface]
  /// The requests that the server makes, by name.
  package let webhooks: [(String, JSONValue)]
  /// Of the usual error object.
  package let failure: APISchema

  package init(about: String, surfaces: [APISurface], webhooks: [(String, JSONValue)], failure: APISchema) {
    self.about = about
    self.surfaces = surfaces
    self.webhooks = webhooks
    self.failure = failure
  }

  package var operations: [APIOperation] { surfaces.flatMap(\.operations) }

  /// - Parameter version: the server's.
  package func json(version: String) -> JSONValue {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "Carillon", "version": .string(version),
        "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
        "description": .string(about),
      ],
      "servers": [["url": "/"]],
      "tags": .array(surfaces.map { ["name": .string($0.name), "description": .string($0.about)] }),
      "paths": .object(paths), "webhooks": .object(webhooks),
      "components": [
        "schemas": .object(schemas), "responses": .object(APIAnswer.sharedFailures),
        "securitySchemes": .object(APIAccess.schemes),
      ],
    ]
  }

  /// Operations of one path stand together, in the order in which the path is named first.
  private var paths: [(String, JSONValue)] {
    var paths: [(name: String, item: JSONObject)] = []
    for surface in surfaces {
      for operation in surface.operations {
        let place = paths.firstIndex { $0.name == operation.path } ?? paths.endIndex
        if place == paths.endIndex { paths.append((operation.path, [:])) }
        paths[place].item[operation.method.rawValue.lowercased()] = operation.json(tag: surface.name)
      }
    }
    return paths.map { ($0.name, .object($0.item)) }
  }

  private var schemas: [(String, JSONValue)] {
    [("Failure", failure.json)] + surfaces.flatMap(\.schemas).map { ($0.name, $0.schema.json) }
  }
}

/// The description as it is served.
package struct APIDocumentText: Sendable {
  package let bytes: [UInt8]
  /// Changes with the text.
  package let entityTag: String

  package init(_ document: APIDocument, version: String) {
    bytes = document.json(version: version).text
    entityTag = "\"\(Hexadecimal.encode(SHA256.hash(data: bytes).prefix(16)))\""
  }
}
