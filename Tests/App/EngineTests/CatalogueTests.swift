import EventSourcing
import Testing

@testable import Engine

@Suite("The catalogue of the kinds of entities")
struct CatalogueTests {
  @Test("numbers and names are frozen: journals have them for good")
  func frozen() {
    #expect(
      Catalogue.carillon.cards.map { "\($0.kind.rawValue) \($0.kind.name ?? "-")" } == [
        "1 chat", "2 comet", "3 push", "4 agent", "5 audit", "6 device", "7 installation", "8 group", "9 broadcast",
        "10 callback", "11 subscription", "12 stored", "13 request", "14 user", "15 app", "16 console",
        "17 canned",
      ])
  }

  @Test("each kind is found by its number, and no other")
  func numbers() {
    for number in UInt8.min...UInt8.max {
      let kind = EntityKind(rawValue: number)
      #expect(Catalogue.carillon[kind]?.kind == (kind.name == nil ? nil : kind))
      #expect(kind.name.map { EntityKind(name: $0) == kind } ?? true)
    }
  }

  @Test("each kind decodes its own events, replays them, and says whether they restate")
  func events() throws {
    struct Visitor: KindVisitor {
      var seen: [EntityKind] = []

      mutating func visit<State: RestorableState & Encodable>(_ card: EntityCard, _ type: State.Type) {
        seen.append(card.kind)
        for tag in EventTag(0)...64 {
          #expect(card.isRestatement(tag) == State.Event.isRestatement(tag))
        }
      }
    }
    var visitor = Visitor()
    for card in Catalogue.carillon.cards {
      try card.open(&visitor)
      #expect(card.describe(60_000, UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }
    #expect(visitor.seen == Catalogue.carillon.cards.map(\.kind))
  }

  @Test("a chat is told apart by its node and eight of its characters, others by their first")
  func shown() {
    #expect(Catalogue.carillon[.chatSession]?.shown("412-0b7c6e1e-93aa") == "412-0b7c6e1e")
    #expect(Catalogue.carillon[.cometSession]?.shown("0123456789abcdef") == "01234567")
    #expect(Catalogue.carillon[.callback]?.shown("0123456789abcdef") == "0123456789abcd")
  }
}
