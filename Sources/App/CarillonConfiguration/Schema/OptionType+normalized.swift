import Foundation
import NetworkAddress
import OptionKit

/// Why a value is not of its option's type.
struct ValueMismatch: Error, Equatable {
  let reason: String
  /// False where the reason says already what was found.
  var quotesValue = true
}

extension OptionSpecification {
  /// The value in its one form, as `OptionType` has it.
  func normalized(_ text: String) throws(ValueMismatch) -> String {
    let trimmed = text.trimmed
    if takesPlaceholder, trimmed.count > 2, trimmed.hasPrefix("$"), trimmed.hasSuffix("$") { return trimmed }
    return try type.normalized(text)
  }
}

extension OptionType {
  /// The form in which the rest of the server sees `text`: numbers without blanks or units, lists with bare commas.
  /// - Throws: what is expected instead, without the value itself (it may be a secret).
  func normalized(_ text: String) throws(ValueMismatch) -> String {
    guard text.utf8.count <= Limits.valueBytesMaximum else {
      throw ValueMismatch(reason: "is longer than \(Limits.valueBytesMaximum) bytes", quotesValue: false)
    }
    let trimmed = text.trimmed
    switch self {
    case .text: return text
    case .path:
      guard !trimmed.isEmpty else { throw expected }
      return trimmed
    case .flag:
      let lower = trimmed.lowercased()
      guard lower == "true" || lower == "false" else { throw expected }
      return lower
    case .integer(let range), .wholeSeconds(let range):
      guard let value = Int(trimmed), range.contains(value) else { throw expected }
      return String(value)
    case .seconds(let range):
      guard let value = Double(trimmed), value.isFinite, range.contains(value) else { throw expected }
      return value == value.rounded() ? String(Int(value)) : String(value)
    case .byteCount(let range):
      guard let value = Self.bytes(trimmed), range.contains(value) else { throw expected }
      return String(value)
    case .choice(let values):
      guard values.contains(trimmed) else { throw expected }
      return trimmed
    case .list, .eventTypes: return Self.members(of: text).joined(separator: ",")
    case .networks:
      let members = Self.members(of: text)
      if let stranger = members.first(where: { AddressBlock($0) == nil }) {
        throw ValueMismatch(reason: "must be a \(summary); \(stranger.quoted) is neither", quotesValue: false)
      }
      return members.joined(separator: ",")
    case .addresses:
      let members = Self.members(of: text)
      if let stranger = members.first(where: { !Self.isAddress($0) }) {
        throw ValueMismatch(reason: "must be a \(summary); \(stranger.quoted) is none", quotesValue: false)
      }
      return members.joined(separator: ",")
    case .choices(let values):
      let members = Self.members(of: text)
      if let stranger = members.first(where: { !values.contains($0) }) {
        throw ValueMismatch(reason: "must be a \(summary); \(stranger.quoted) is none of them", quotesValue: false)
      }
      return members.joined(separator: ",")
    case .url:
      guard Self.isURL(trimmed) else { throw expected }
      return trimmed
    case .timeZone:
      guard TimeZone(identifier: trimmed) != nil else { throw expected }
      return trimmed
    }
  }

  private var expected: ValueMismatch { ValueMismatch(reason: "must be \(article)\(summary)") }

  private var article: String {
    switch self {
    case .text, .path, .choices, .eventTypes, .list, .networks, .addresses, .timeZone: "a "
    case .integer, .url: "an "
    case .flag, .seconds, .wholeSeconds, .byteCount, .choice: ""
    }
  }

  private static func bytes(_ text: String) -> Int? {
    let units: [(String, Int)] = [("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let count = Int(String(text.dropLast(unit.count)).trimmed) else { return nil }
      let (product, overflow) = count.multipliedReportingOverflow(by: factor)
      return overflow ? nil : product
    }
    return Int(text)
  }

  /// One `@` with something on either side, and nothing that an address cannot hold: as much as can be told of one.
  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value != 0x7F && !"<>()\",;:".unicodeScalars.contains($0)
      }
  }

  private static func isURL(_ text: String) -> Bool {
    let lower = text.lowercased()
    guard let rest = lower.removing(prefix: "http://") ?? lower.removing(prefix: "https://") else { return false }
    guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else { return false }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return !host.isEmpty && !host.hasPrefix(":")
  }
}

extension String {
  /// Without blanks and line ends at either side.
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
    while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
    return String(rest)
  }

  /// In quotation marks, shortened, control characters replaced: fit for one line of a problem.
  var quoted: String {
    var shown = String(prefix(Limits.quotedCharactersMaximum)).withoutControls
    if count > Limits.quotedCharactersMaximum { shown += "…" }
    return "“\(shown)”"
  }

  /// A question mark for each control character and each character that ends a line.
  var withoutControls: String {
    String(
      map { character in
        let isHarmless = character.unicodeScalars.allSatisfy { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }
        return isHarmless ? character : "?"
      })
  }
}
