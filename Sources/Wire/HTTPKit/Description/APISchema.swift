package import JSONEnvelope

/// What a JSON value has to look like: a JSON Schema (2020-12), as OpenAPI 3.1 takes it.
package struct APISchema: Sendable, Equatable {
  package private(set) var keywords: JSONObject

  package init(_ keywords: JSONObject) { self.keywords = keywords }

  package var json: JSONValue { .object(keywords) }

  // MARK: Kinds

  /// Any value at all.
  package static let anything = APISchema([:])
  package static let text = APISchema(["type": "string"])
  package static let integer = APISchema(["type": "integer"])
  package static let number = APISchema(["type": "number"])
  package static let bool = APISchema(["type": "boolean"])
  /// `2026-03-01T09:15:00Z`
  package static let time = APISchema(["type": "string", "format": "date-time"])
  /// What is shown to the other side to be opened.
  package static let webAddress = text(8...2_000).with("pattern", "^https?://[^/?#\\s]\\S*$")
  package static let bytes = APISchema(["type": "string", "format": "binary"])
  /// A whole number, or a text that holds one.
  package static let lenientInteger = APISchema(["type": ["integer", "string"], "pattern": "^[0-9]+$", "minimum": 0])

  package static func text(_ length: ClosedRange<Int>) -> APISchema {
    var schema = APISchema.text.with("maxLength", .integer(Int64(length.upperBound)))
    if length.lowerBound > 0 { schema = schema.with("minLength", .integer(Int64(length.lowerBound))) }
    return schema
  }

  package static func text(pattern: String) -> APISchema { text.with("pattern", .string(pattern)) }

  package static func integer(_ range: ClosedRange<Int>) -> APISchema {
    integer.with("minimum", .integer(Int64(range.lowerBound))).with("maximum", .integer(Int64(range.upperBound)))
  }

  /// One of these words.
  package static func oneOf(_ words: [String]) -> APISchema { text.with("enum", .array(words.map { .string($0) })) }

  package static func oneOf(_ words: String...) -> APISchema { oneOf(words) }

  package static func list(of element: APISchema, _ count: ClosedRange<Int>? = nil) -> APISchema {
    var schema = APISchema(["type": "array", "items": element.json])
    if let count {
      schema = schema.with("minItems", .integer(Int64(count.lowerBound)))
        .with("maxItems", .integer(Int64(count.upperBound)))
    }
    return schema
  }

  /// Members that no one else has named: an object from texts to `value`.
  package static func map(of value: APISchema) -> APISchema {
    APISchema(["type": "object", "additionalProperties": value.json])
  }

  /// Members beyond these may always come: readers have to ignore them.
  package static func object(_ members: [APIMember]) -> APISchema {
    var keywords: JSONObject = ["type": "object"]
    let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { keywords["required"] = .array(required) }
    keywords["properties"] = .object(members.map { ($0.name, $0.schema.json) })
    return APISchema(keywords)
  }

  /// All that `base` says, and these members.
  package static func object(_ base: APISchema, and members: [APIMember]) -> APISchema {
    APISchema(["allOf": [base.json, object(members).json]])
  }

  package static func either(_ schemas: APISchema...) -> APISchema { APISchema(["anyOf": .array(schemas.map(\.json))]) }

  /// The schema of this name among the shared ones.
  package static func named(_ name: String) -> APISchema {
    APISchema(["$ref": .string("#/components/schemas/\(name)")])
  }

  // MARK: Additions

  package func with(_ keyword: String, _ value: JSONValue) -> APISchema {
    var schema = self
    schema.keywords[keyword] = value
    return schema
  }

  package func about(_ text: String) -> APISchema { with("description", .string(text)) }

  package func example(_ value: JSONValue) -> APISchema { with("examples", [value]) }

  package func byDefault(_ value: JSONValue) -> APISchema { with("default", value) }

  package var orNull: APISchema {
    guard let type = keywords["type"]?.string else { return .either(self, APISchema(["type": "null"])) }
    return with("type", [.string(type), "null"])
  }
}

/// A member of an object, or a field of a form.
package struct APIMember: Sendable, Equatable {
  package let name: String
  package let schema: APISchema
  package let isRequired: Bool

  package static func required(_ name: String, _ schema: APISchema = .text, _ about: String? = nil) -> APIMember {
    APIMember(name: name, schema: about.map { schema.about($0) } ?? schema, isRequired: true)
  }

  package static func optional(_ name: String, _ schema: APISchema = .text, _ about: String? = nil) -> APIMember {
    APIMember(name: name, schema: about.map { schema.about($0) } ?? schema, isRequired: false)
  }
}
