import JSONEnvelope

/// One part of the description: operations that belong together, and the schemas that they share.
struct APISurface: Sendable {
  let name: String
  let about: String
  let operations: [APIOperation]
  let schemas: [(name: String, schema: APISchema)]

  init(_ name: String, _ about: String, _ operations: [APIOperation], schemas: [(String, APISchema)] = []) {
    self.name = name
    self.about = about
    self.operations = operations
    self.schemas = schemas
  }
}
