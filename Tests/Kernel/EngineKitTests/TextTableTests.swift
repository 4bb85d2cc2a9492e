import CallbackDomain
import Testing

@testable import Engine
@testable import EngineKit

@Suite("Texts of each language")
struct TextTableTests {
  @Test("each built-in language has every text, and each is one that an operator could write")
  func complete() throws {
    #expect(Set(TextTable.builtIn.keys) == ["en", "de", "fr", "es", "ja", "ko"])
    var copy = TextTable()
    for (language, texts) in TextTable.builtIn {
      #expect(Set(texts.keys) == Set(TextKey.allCases), "\(language)")
      for (key, text) in texts { try copy.replace(key.rawValue, language: language, with: text) }
    }
    for (language, texts) in TextTable.builtIn {
      for (key, text) in texts { #expect(copy.text(key, language: language) == text) }
    }
  }

  @Test(
    "a language falls back to the wider one, then to English",
    arguments: [
      ("de", "Chat starten"), ("de-CH", "Chat starten"), ("DE_ch", "Chat starten"), ("de-Latn-CH-1996", "Chat starten"),
      ("en-GB", "Start Chat"), ("it", "Start Chat"), (nil, "Start Chat"), ("", "Start Chat"), ("d e", "Start Chat"),
    ] as [(String?, String)])
  func fallback(language: String?, text: String) {
    #expect(TextTable().text(.startChat, language: language) == text)
  }

  @Test("an added language needs only what it says otherwise")
  func added() throws {
    var texts = TextTable()
    try texts.replace("callback.start-chat.label", language: "pt_BR", with: "Iniciar bate-papo")
    try texts.replace("callback.start-chat.label", language: "pt", with: "Iniciar conversa")
    #expect(texts.text(.startChat, language: "pt-br") == "Iniciar bate-papo")
    #expect(texts.text(.startChat, language: "pt-PT") == "Iniciar conversa")
    #expect(texts.text(.ok, language: "pt-BR") == "Ok")
  }

  @Test(
    "a wrong text is refused, and nothing changes",
    arguments: [
      ("callback.okay", "en", "x", TextRefusal.unknownKey), ("callback.ok", "e", "x", .notALanguage),
      ("callback.ok", "en-", "x", .notALanguage), ("callback.ok", "12", "x", .notALanguage),
      ("callback.ok", "toolonglang", "x", .notALanguage), ("callback.ok", "en", " \n", .empty),
      ("callback.ok", "en", String(repeating: "x", count: 1_025), .tooLong(limit: 1_024)),
      ("callback.confirmation.later", "en", "Later", .missingPlaceholder("minutes")),
      ("callback.confirmation.later", "en", "In {minutes} or {hours}", .unknownPlaceholder("hours")),
      ("callback.ok", "en", "{minutes}", .unknownPlaceholder("minutes")),
    ])
  func refused(key: String, language: String, text: String, refusal: TextRefusal) {
    var texts = TextTable()
    #expect(throws: refusal) { try texts.replace(key, language: language, with: text) }
    #expect(texts == TextTable())
  }

  @Test(
    "one minute is worded apart from several",
    arguments: [
      ("en", 1, "No, try again in 1 minute"), ("en", 0, "No, try again in 0 minutes"),
      ("fr", 1, "Non, réessayer dans une minute"), ("fr", 2, "Non, réessayer dans 2 minutes"),
      ("ja", 1, "いいえ、1分後にもう一度お願いします"),
    ])
  func minutes(language: String, minutes: Int, text: String) {
    #expect(TextTable().later(minutes: minutes, language: language) == text)
  }

  @Test(
    "a push shows the headline of the dialog it announces",
    arguments: zip(
      CallbackDialog.allCases,
      [
        "Agent is available right now", "Agent is available right now", "Start Chat", "Connecting ...",
        "You will receive the call shortly", "We will notify you when agent is available",
      ]))
  func alerts(dialog: CallbackDialog, text: String) {
    #expect(TextTable().alert(for: dialog, language: "en") == text)
  }

  @Test(
    "the dearest language that there are texts for is taken",
    arguments: [
      ("de", "de"), ("de-DE,de;q=0.9,en;q=0.8", "de-de"), ("it,fr;q=0.5,de;q=0.7", "de"), ("nl, ko", "ko"),
      ("fr;q=0, es", "es"), ("*", nil), ("", nil), ("it", nil), ("de;q=x, fr;q=0.1", "fr"), ("ja ; q=0.3 , en", "en"),
      (",,;;=", nil),
    ] as [(String, String?)])
  func accepted(header: String, language: String?) {
    #expect(TextTable().language(accepted: header) == language)
  }
}
