/// What an option's value may be, and the one form in which the rest of the server sees it.
package enum OptionType: Sendable, Equatable {
  case text
  /// `true` or `false`.
  case flag
  case integer(ClosedRange<Int>)
  case wholeSeconds(ClosedRange<Int>)
  /// Seconds; a fraction is allowed.
  case seconds(ClosedRange<Double>)
  /// A number of bytes; `KiB`, `MiB` and `GiB` may follow.
  case byteCount(ClosedRange<Int>)
  case choice([String])
  /// Texts separated by commas, or a YAML list.
  case list
  /// A list of e-mail addresses.
  case addresses
  /// A list of which each member is one of these.
  case choices([String])
  /// A list of transcript event types; one that is not known is a warning, not a problem.
  case eventTypes
  /// An absolute `http` or `https` URL.
  case url
  case path
  /// Addresses and networks of the internet protocol: `10.0.0.0/8,fd00::/8,192.0.2.7`.
  case networks
  /// A time zone of the IANA database: `Europe/Berlin`.
  case timeZone

  /// In a few words, for the table and for problems.
  package var summary: String {
    switch self {
    case .text: "text"
    case .flag: "true or false"
    case .integer(let range): "integer, \(range.lowerBound) to \(range.upperBound)"
    case .wholeSeconds(let range): "whole seconds, \(range.lowerBound) to \(range.upperBound)"
    case .seconds(let range): "seconds, \(Self.number(range.lowerBound)) to \(Self.number(range.upperBound))"
    case .byteCount(let range):
      "bytes (KiB, MiB or GiB may follow), \(range.lowerBound) to \(range.upperBound)"
    case .choice(let values): "one of " + values.joined(separator: ", ")
    case .list: "list of texts"
    case .addresses: "list of e-mail addresses"
    case .choices(let values): "list of " + values.joined(separator: ", ")
    case .eventTypes: "list of event types"
    case .url: "http or https URL"
    case .path: "path"
    case .networks: "list of addresses and networks, such as 10.0.0.0/8"
    case .timeZone: "time zone, such as Europe/Berlin"
    }
  }

  /// The members of a list, blanks around them taken off, empty ones left out.
  package static func members(of text: String) -> [String] {
    text.split(separator: ",").map { member in
      String(member.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }.filter { !$0.isEmpty }
  }

  static func number(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
  }
}
