/// The texts of dialogs and pushes in each language: the built-in ones, with the operator's in their place.
/// Spec: GMS 8.3 (`localizationFileLocation`), 9.3.
public struct TextTable: Sendable, Equatable {
  /// Language → key → text. Languages as `normalized` has them. English is complete.
  private var texts: [String: [TextKey: String]]
  /// Which of them are the operator's.
  private var replaced: [String: Set<TextKey>] = [:]

  /// The built-in texts.
  public init() { texts = Self.builtIn }

  /// Where nothing else is left.
  static let lastLanguage = "en"

  /// The text in this language (`xx-YY`), else in the wider one (`xx`), else in English.
  public func text(_ key: TextKey, language: String?) -> String {
    for language in Self.widening(language) {
      if let text = texts[language]?[key] { return text }
    }
    preconditionFailure("there is an English text for each key")
  }

  /// The item by which the customer asks to be left alone for a while.
  public func later(minutes: Int, language: String?) -> String {
    if minutes == 1 { return text(.confirmationLaterByOne, language: language) }
    return text(.confirmationLater, language: language).replacing("{minutes}", with: String(minutes))
  }

  /// What the push of a chat shows: the operator's text in this language or the wider one, else what the option says,
  /// else our text. Spec: GMS 8.3, localized texts.
  /// - Parameter plain: `_client_timeout_notification_message`; nil if it is not set.
  package func chatAlert(language: String?, plain: String?) -> String {
    let key = TextKey.newMessage
    for tag in language.map({ Self.wider($0) }) ?? [] where replaced[tag]?.contains(key) == true {
      if let text = texts[tag]?[key] { return text }
    }
    return plain ?? text(key, language: language)
  }

  /// The language that suits a request best: the first of its `Accept-Language` that has texts of its own; nil if none.
  /// Spec: RFC 9110 12.5.4, RFC 4647 3.4.
  public func language(accepted header: String?) -> String? {
    guard let header else { return nil }
    return AcceptedLanguages(header).tags.first { tag in Self.wider(tag).contains { texts[$0] != nil } }
  }

  /// Puts `text` in the place of what was there; or says what is wrong with it.
  public mutating func replace(
    _ key: String, language: String, with text: String
  ) throws(TextRefusal) {
    guard let language = Self.normalized(language) else { throw .notALanguage }
    guard let key = TextKey(rawValue: key) else { throw .unknownKey }
    try key.judge(text)
    texts[language, default: [:]][key] = text
    replaced[language, default: []].insert(key)
  }

  // MARK: Languages

  /// `DE_de` as `de-de`; nil for what cannot be the tag of a language. Spec: RFC 5646 2.1.
  package static func normalized(_ tag: some StringProtocol) -> String? {
    let tag = tag.lowercased().replacing("_", with: "-")
    let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
    func isPart(_ part: Substring) -> Bool {
      (1...8).contains(part.utf8.count)
        && part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
    guard parts.count <= Limits.languagePartsMaximum, parts.allSatisfy(isPart), let first = parts.first,
      first.utf8.count >= 2, first.utf8.allSatisfy({ $0 >= 0x61 })
    else { return nil }
    return tag
  }

  /// The language, then each wider one: `zh-hant-tw`, `zh-hant`, `zh`.
  private static func wider(_ language: String) -> [String] {
    guard let tag = normalized(language) else { return [] }
    return sequence(first: tag) { tag in tag.lastIndex(of: "-").map { String(tag[..<$0]) } }.map(\.self)
  }

  private static func widening(_ language: String?) -> [String] {
    (language.map { wider($0) } ?? []) + [lastLanguage]
  }

  private enum Limits {
    static let languagePartsMaximum = 8
  }
}

/// Why the operator's text is not taken.
public enum TextRefusal: Error, Equatable, Sendable {
  case notALanguage
  case unknownKey
  case empty
  case tooLong(limit: Int)
  case missingPlaceholder(String)
  case unknownPlaceholder(String)
}

extension TextKey {
  /// Bytes of one text.
  private static let textBytesMaximum = 1_024

  fileprivate func judge(_ text: String) throws(TextRefusal) {
    guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
    guard text.utf8.count <= Self.textBytesMaximum else { throw .tooLong(limit: Self.textBytesMaximum) }
    let found = Set(text.matches(of: /\{([^{}]*)\}/).map { String($0.output.1) })
    if let missing = placeholders.subtracting(found).min() { throw .missingPlaceholder(missing) }
    if let unknown = found.subtracting(placeholders).min() { throw .unknownPlaceholder(unknown) }
  }
}
