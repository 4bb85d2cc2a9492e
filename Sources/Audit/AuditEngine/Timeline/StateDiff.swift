public import JSONEnvelope

/// What differs between two states of an entity, field by field.
public struct StateDiff: Sendable, Equatable {
  public struct Change: Sendable, Equatable {
    /// `transcript[5].text`.
    public let path: String
    /// Nil if the field came.
    public let before: JSONValue?
    /// Nil if the field went.
    public let after: JSONValue?
  }

  /// In the order of the fields.
  public private(set) var changes: [Change] = []

  public init(from before: JSONValue, to after: JSONValue) { compare("", before, after) }

  private mutating func compare(_ path: String, _ before: JSONValue, _ after: JSONValue) {
    switch (before, after) {
    case (.object(let old), .object(let new)):
      let known = Set(old.names)
      let names = old.names + new.names.filter { !known.contains($0) }
      for name in names.sorted() { compare(path.isEmpty ? name : "\(path).\(name)", old[name], new[name]) }
    case (.array(let old), .array(let new)):
      for index in 0..<max(old.count, new.count) {
        // Not a bare nil: that would be a JSON null.
        let elements = [old, new].map { $0.indices.contains(index) ? $0[index] : JSONValue?.none }
        compare("\(path)[\(index)]", elements[0], elements[1])
      }
    default:
      if before != after { changes.append(Change(path: path, before: before, after: after)) }
    }
  }

  private mutating func compare(_ path: String, _ before: JSONValue?, _ after: JSONValue?) {
    switch (before, after) {
    case (let before?, let after?): compare(path, before, after)
    case (nil, nil): break
    default: changes.append(Change(path: path, before: before, after: after))
    }
  }

  /// A line for each change: `+ path  value`, `- path  value`, `~ path  old → new`. Control characters are escaped.
  public var lines: [String] {
    changes.map { change in
      func text(_ value: JSONValue?) -> String {
        TimelineText.printable(value.map { String(decoding: $0.text, as: UTF8.self) } ?? "")
      }
      return switch (change.before, change.after) {
      case (nil, let after): "+ \(change.path)  \(text(after))"
      case (let before, nil): "- \(change.path)  \(text(before))"
      case (let before, let after): "~ \(change.path)  \(text(before)) → \(text(after))"
      }
    }
  }

  /// `{"path":…,"before":…,"after":…}` for each change; `before` or `after` is absent where there was nothing.
  public func write(into array: inout JSONArrayWriter) {
    for change in changes {
      array.object { object in
        object.member("path", change.path)
        object.member("before", ifPresent: change.before)
        object.member("after", ifPresent: change.after)
      }
    }
  }
}
