/// What the values of an option are, and how they are written: the type that the schema judges texts by, and the way from
/// a text to a value and back.
package struct OptionForm<Value: Sendable>: Sendable {
  package let type: OptionType
  /// Nil for a text that is no such value, or one out of bounds.
  package let read: @Sendable (String) -> Value?
  /// The one form of a value.
  package let write: @Sendable (Value) -> String

  package init(
    _ type: OptionType, read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
  ) {
    self.type = type
    self.read = read
    self.write = write
  }
}

extension OptionForm where Value == String {
  /// An empty text is a value too.
  package static var text: Self { Self(.text) }
  /// An empty text is none.
  package static var nonEmptyText: Self { Self(.text, isNeverEmpty: true) }
  package static var path: Self { Self(.path, isNeverEmpty: true) }
  /// An absolute `http` or `https` URL.
  package static var url: Self { Self(.url, isNeverEmpty: true) }
  /// A time zone of the IANA database.
  package static var timeZone: Self { Self(.timeZone) }

  package static func choice(_ values: [String]) -> Self {
    Self(.choice(values), read: { values.contains($0) ? $0 : nil }, write: { $0 })
  }

  private init(_ type: OptionType, isNeverEmpty: Bool = false) {
    self.init(type, read: { isNeverEmpty && $0.isEmpty ? nil : $0 }, write: { $0 })
  }
}

extension OptionForm where Value == Bool {
  package static var flag: Self {
    Self(.flag, read: { $0 == "true" ? true : $0 == "false" ? false : nil }, write: { $0 ? "true" : "false" })
  }
}

extension OptionForm where Value == Int {
  package static func integer(_ bounds: ClosedRange<Int>) -> Self { Self(.integer(bounds), bounds) }
  package static func byteCount(_ bounds: ClosedRange<Int>) -> Self { Self(.byteCount(bounds), bounds) }

  private init(_ type: OptionType, _ bounds: ClosedRange<Int>) {
    self.init(type, read: { Int($0).flatMap { bounds.contains($0) ? $0 : nil } }, write: { String($0) })
  }
}

extension OptionForm where Value == Duration {
  /// Seconds; a fraction is allowed, to the millisecond.
  package static func seconds(_ bounds: ClosedRange<Double>) -> Self {
    Self(
      .seconds(bounds),
      read: { text in
        guard let value = Double(text), bounds.contains(value) else { return nil }
        return .milliseconds(Int64(value * 1_000))
      }, write: { OptionType.number($0 / .seconds(1)) })
  }

  package static func wholeSeconds(_ bounds: ClosedRange<Int>) -> Self {
    Self(
      .wholeSeconds(bounds), read: { Int($0).flatMap { bounds.contains($0) ? .seconds($0) : nil } },
      write: { String($0.components.seconds) })
  }

  /// An integer that counts milliseconds.
  package static func milliseconds(_ bounds: ClosedRange<Int>) -> Self {
    Self(
      .integer(bounds), read: { Int($0).flatMap { bounds.contains($0) ? .milliseconds($0) : nil } },
      write: { OptionType.number($0 / .milliseconds(1)) })
  }
}

extension OptionForm where Value == [String] {
  package static var list: Self { Self(.list) }
  /// Members of a list of e-mail addresses.
  package static var addresses: Self { Self(.addresses) }
  package static func choices(_ values: [String]) -> Self { Self(.choices(values)) }

  private init(_ type: OptionType) {
    self.init(type, read: { OptionType.members(of: $0) }, write: { $0.joined(separator: ",") })
  }
}

extension OptionForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the values that there are.
  package static var choice: Self {
    Self(.choice(Value.allCases.map(\.rawValue)), read: { Value(rawValue: $0) }, write: { $0.rawValue })
  }
}
