public import EventSourcing

/// What a canned reply is found by, and what it says.
public struct CannedReplyContent: Sendable, Equatable, Codable {
  public static let shortcutBytesMaximum = 32
  /// UTF-8 bytes.
  public static let textBytesMaximum = 4_096

  /// What an agent types behind `/`: small letters, digits, `_` and `-`.
  public let shortcut: String
  /// `de`, `de-at`; nil: for all.
  public let language: String?
  /// May hold placeholders, which whoever sends it fills: see `CannedReplyPlaceholder`.
  public let text: String

  /// - Parameters:
  ///   - shortcut: capitals become small.
  ///   - language: of the form that it is kept in.
  public init(shortcut: String, language: String?, text: String) throws(CannedReplyRejection) {
    if shortcut.isEmpty { throw .empty(field: "shortcut") }
    guard shortcut.utf8.count <= Self.shortcutBytesMaximum else {
      throw .tooLong(field: "shortcut", limit: Self.shortcutBytesMaximum)
    }
    guard shortcut.utf8.allSatisfy(Self.mayBeInShortcut) else {
      throw .invalid(field: "shortcut", reason: "has others than letters a to z, digits, _ and -")
    }
    if text.isEmpty { throw .empty(field: "text") }
    guard text.utf8.count <= Self.textBytesMaximum else {
      throw .tooLong(field: "text", limit: Self.textBytesMaximum)
    }
    if let flaw = CannedReplyPlaceholder.flaw(in: text) { throw .invalid(field: "text", reason: flaw) }
    self.init(known: shortcut.lowercased(), language, text)
  }

  private init(known shortcut: String, _ language: String?, _ text: String) {
    self.shortcut = shortcut
    self.language = language
    self.text = text
  }

  private static func mayBeInShortcut(_ byte: UInt8) -> Bool {
    byte.isASCIIWord || byte == UInt8(ascii: "-")
  }

  /// Whether it is for somebody who writes in a language: it is in that one, in a wider or a narrower one, or in none.
  public func suits(_ language: String) -> Bool {
    guard let own = self.language else { return true }
    return own == language || own.hasPrefix(language + "-") || language.hasPrefix(own + "-")
  }
}

/// A place in a canned reply that is filled when it is sent, from the chat in which it is: `{{customer.firstName}}`.
public enum CannedReplyPlaceholder {
  /// `{{chat.…}}`: what every chat has, as agents' summaries of it call it.
  public static let ofChat = ["chatId", "customer", "service", "subject"]
  /// UTF-8 bytes of the name in `{{customer.…}}`: a field of the attached data.
  public static let nameBytesMaximum = 64

  private static let known = "there are customer.NAME and chat.\(ofChat.joined(separator: ", chat."))"

  /// What is wrong with the placeholders of a text; nil if nothing is. Single braces are text, and so is `}}` alone.
  static func flaw(in text: String) -> String? {
    var rest = text[...]
    while let start = rest.firstRange(of: "{{") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "}}") else { return "has {{ without }}" }
      let name = rest[..<end.lowerBound].trimmed
      guard isKnown(name) else { return "has the placeholder {{\(shown(name))}}, which is not known: \(known)" }
      rest = rest[end.upperBound...]
    }
    return nil
  }

  private static func isKnown(_ name: Substring) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    switch parts[0] {
    case "chat": return ofChat.contains(String(parts[1]))
    case "customer":
      return (1...nameBytesMaximum).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy(\.isASCIIWord)
    default: return false
    }
  }

  private static func shown(_ name: Substring) -> String { name.count > 32 ? name.prefix(31) + "…" : String(name) }
}

extension Substring {
  fileprivate var trimmed: Substring {
    guard let start = firstIndex(where: { !$0.isWhitespace }), let end = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return self[start...end]
  }
}

extension UInt8 {
  /// A letter, a digit or `_`.
  fileprivate var isASCIIWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// As part of events and of state; frozen like those. What a journal holds was judged when it was written.
extension CannedReplyContent: PayloadPart {
  private enum Field {
    static let shortcut = PayloadField<String>(1)
    static let language = PayloadField<String>(2)
    static let text = PayloadField<String>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.shortcut, shortcut)
    writer.put(Field.language, ifPresent: language)
    writer.put(Field.text, text)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(known: try read.required(Field.shortcut), try read[Field.language], try read.required(Field.text))
  }
}
