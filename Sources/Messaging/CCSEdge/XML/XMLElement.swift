/// An element of a stream: the stream's own start tag, a stanza, or what is in one.
struct XMLElement: Equatable {
  var name: XMLName
  var attributes: [XMLAttribute] = []
  /// All character data directly in it, UTF-8.
  var text: [UInt8] = []
  var children: [XMLElement] = []

  /// The value of an attribute without a namespace.
  subscript(attribute: String) -> String? {
    attributes.first { $0.name.namespace.isEmpty && $0.name.local == attribute }?.value
  }

  /// The first child of this name, whatever its prefix. Spec: GCM C3.
  func child(_ name: XMLName) -> XMLElement? { children.first { $0.name == name } }
}

/// A name with the namespace that its prefix stood for; no namespace is the empty one.
struct XMLName: Hashable {
  var namespace: String
  var local: String

  init(_ namespace: String, _ local: String) {
    self.namespace = namespace
    self.local = local
  }
}

struct XMLAttribute: Equatable {
  var name: XMLName
  var value: String
}

/// What comes out of a stream's bytes.
enum XMLStreamEvent: Equatable {
  /// The stream's start tag, without content.
  case opened(XMLElement)
  /// A whole element on the level below it.
  case stanza(XMLElement)
  /// The stream's end tag.
  case closed
  /// The bytes are no stream, or not one that we take; nothing comes after it.
  case failed(StreamCondition)
}
