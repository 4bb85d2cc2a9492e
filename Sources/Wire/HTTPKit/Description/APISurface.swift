import JSONEnvelope

/// One part of the description: operations that belong together, and the schemas that they share.
package struct APISurface: Sendable {
  package let name: String
  package let about: String
  package let operations: [APIOperation]
  package let schemas: [(name: String, schema: APISchema)]

  package init(_ name: String, _ about: String, _ operations: [APIOperation], schemas: [(String, APISchema)] = []) {
    self.name = name
    self.about = about
    self.operations = operations
    self.schemas = schemas
  }
}
