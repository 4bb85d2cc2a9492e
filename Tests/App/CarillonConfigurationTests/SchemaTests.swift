import OptionKit
import Testing

@testable import CarillonConfiguration

@Suite("Schema")
struct SchemaTests {
  @Test("every built-in value is of its option's type, in its one form", arguments: Schema.options.map(\.name))
  func defaults(name: String) throws {
    for option in Schema.options where option.name == name {
      guard let value = option.defaultValue else { continue }
      #expect(try option.type.normalized(value) == value)
    }
  }

  @Test("no option has two rows for one kind of section", arguments: SectionKind.allCases)
  func unique(kind: SectionKind) {
    let names = Schema.options(in: kind).map(\.name)
    #expect(names.count == Set(names).count)
  }

  @Test("no two options share an environment variable", arguments: SectionKind.allCases)
  func distinctVariables(kind: SectionKind) {
    let variables = Schema.options(in: kind).map {
      EnvironmentSpelling.variable(section: kind.rawValue, option: $0.name)
    }
    #expect(variables.count == Set(variables).count)
  }

  @Test(
    "a section's name tells its kind",
    arguments: [
      ("server", SectionKind.server), ("push", .push), ("push.provider.shop", .pushProvider),
      ("push.provider.event.chat.newagentmessage", .pushEvent), ("push.provider.shop.event.chat", .pushProviderEvent),
      ("push.provider.a.b", .pushProvider), ("chat", .chat), ("chat.x", .chatService), ("callback", .callback),
      ("service.request-chat", .service), ("service.", nil), ("service", nil), ("push.provider", nil),
      ("push.provider.", nil), ("push.provider.event", nil), ("push.provider.event.", nil),
      ("push.provider.shop.event", nil), ("push.provider.shop.event.", nil), ("Server", nil), ("", nil),
      ("support", .support), ("support.app.shop.ios", .supportApp), ("support.agents", .supportAgents),
      ("support.app", nil), ("support.app.", nil), ("support.agents.", nil), ("support.", nil),
      ("channels.news", .channels), ("channels.", nil), ("channels", nil),
    ])
  func kinds(name: String, kind: SectionKind?) {
    #expect(SectionKind(section: name) == kind)
  }

  @Test("only credentials and addresses have a debug. form")
  func debugForm() {
    #expect(Schema.option("debug.fcm.apiKey", in: .pushProvider) != nil)
    #expect(Schema.option("debug.fcm.title", in: .pushProvider) == nil)
    #expect(Schema.option("debug.", in: .pushProvider) == nil)
  }
}
