/// What sample customers say.
enum CastWords {
  struct Errand: Sendable, Equatable {
    let subject: String
    let question: String
  }

  static func errands(_ service: CastService, _ language: CastLanguage) -> [Errand] {
    switch (service, language) {
    case (.orders, .en):
      [
        Errand(subject: "Order 4711", question: "Hi, where is my parcel?"),
        Errand(subject: "Delivery address", question: "Can you still change the address of my order?"),
        Errand(subject: "Order 4802", question: "One of the two lamps is missing."),
      ]
    case (.orders, .de):
      [
        Errand(subject: "Bestellung 4711", question: "Hallo, wo bleibt mein Paket?"),
        Errand(subject: "Lieferadresse", question: "Kann ich die Adresse noch ändern?"),
        Errand(subject: "Bestellung 4802", question: "Es fehlt eine der beiden Lampen."),
      ]
    case (.billing, .en):
      [
        Errand(subject: "Invoice 2026-118", question: "I was charged twice for the same order."),
        Errand(subject: "Payment", question: "Can I pay by bank transfer?"),
        Errand(subject: "VAT number", question: "Could you put our VAT number on the invoice?"),
      ]
    case (.billing, .de):
      [
        Errand(subject: "Rechnung 2026-118", question: "Der Betrag wurde zweimal abgebucht."),
        Errand(subject: "Zahlung", question: "Kann ich auch per Überweisung zahlen?"),
        Errand(subject: "USt-IdNr.", question: "Können Sie unsere USt-IdNr. auf die Rechnung setzen?"),
      ]
    case (.returns, .en):
      [
        Errand(subject: "Return", question: "How do I send the shoes back?"),
        Errand(subject: "Exchange", question: "Can I have them one size larger?"),
        Errand(subject: "Refund", question: "When do I get my money back?"),
      ]
    case (.returns, .de):
      [
        Errand(subject: "Rücksendung", question: "Wie schicke ich die Schuhe zurück?"),
        Errand(subject: "Umtausch", question: "Gibt es sie eine Nummer größer?"),
        Errand(subject: "Erstattung", question: "Wann bekomme ich mein Geld zurück?"),
      ]
    }
  }

  /// To what an agent has said.
  static func answers(to text: String, _ language: CastLanguage) -> [String] {
    switch (text.contains("?"), language) {
    case (true, .en): ["Yes, that's right.", "It is 4711-0815.", "No, not yet.", "I think it was last Tuesday."]
    case (true, .de): ["Ja, genau.", "Die Nummer ist 4711-0815.", "Nein, noch nicht.", "Ich glaube, letzten Dienstag."]
    case (false, .en):
      ["I see.", "Okay, and how long will that take?", "That helps.", "Could you send me that by mail?"]
    case (false, .de):
      ["Verstehe.", "Gut, und wie lange dauert das?", "Das hilft mir.", "Können Sie mir das per Mail schicken?"]
    }
  }

  static func nudges(_ language: CastLanguage) -> [String] {
    switch language {
    case .en: ["Hello? Is anybody there?", "I'm still here.", "It is rather urgent."]
    case .de: ["Hallo? Ist da jemand?", "Ich bin noch da.", "Es ist etwas eilig."]
    }
  }

  static func thanks(_ language: CastLanguage) -> [String] {
    switch language {
    case .en: ["Thank you, that was all!", "Great, thanks. Bye!"]
    case .de: ["Danke, das war alles!", "Super, vielen Dank. Tschüss!"]
    }
  }

  /// What the colleague says, who is one of the demo, too.
  static let colleague = [
    "Let me have a look.", "May I have your order number?", "I have found it.", "You will get a label by mail.",
    "It takes three to five days.", "Is there anything else that I can do for you?",
  ]
}
