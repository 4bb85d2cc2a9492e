import Foundation
import OptionKit
import Testing

@testable import CarillonConfiguration
@testable import Engine
@testable import SupportEngine

@Suite("Options of support requests")
struct SupportOptionsTests {
  private static func load(_ yaml: String) throws -> LoadedConfiguration {
    try ConfigurationLoader.load(yaml: yaml, path: "c.yaml")
  }

  @Test("the schema's built-in values are the engine's own")
  func defaults() throws {
    var builtIn: [String: String] = [:]
    for option in SupportLimits.options { builtIn[option.name] = option.defaultValue }
    #expect(SupportLimits(Options(sections: ["support": builtIn])) == SupportLimits(Options(sections: [:])))
    var app: [String: String] = [:]
    for option in SupportAppOptions.options { app[option.name] = option.defaultValue }
    let written = try #require(SupportAppSettings("shop", Options(sections: ["support.app.shop": app])))
    let absent = try #require(SupportAppSettings("shop", Options(sections: ["support.app.shop": [:]])))
    let values = SupportTemplateValues(agent: "Ann", comment: "Done", subject: "Help", ticket: "5")
    #expect(written.texts(values, language: nil) == absent.texts(values, language: nil))
    #expect(written.identity == absent.identity && written.integration == absent.integration)
    #expect(written.coalescing == absent.coalescing && written.isTest == absent.isTest)
    #expect(written.hasConversations == absent.hasConversations && written.hasAttachments == absent.hasAttachments)
  }

  @Test("what is set arrives in the engine")
  func values() throws {
    let options = try Self.load(
      """
      support:
        refresh_grace: 0.5
        comment_max_bytes: 8 KiB
      support.agents:
        ann@shop.example.test: Ann
      support.app.shop:
        app_id: app-1
        identity: jwt
        jwt_url: https://shop.example.test/jwt
        jwt_secret: \(String(repeating: "s", count: 32))
        integration: webhook
        webhook_url: https://shop.example.test/push
        notification_title.pt_BR: '{{agent}} respondeu'
        coalesce_ms: 250
      """
    ).options
    #expect(SupportLimits(options).refreshGrace == .milliseconds(500))
    #expect(
      SupportLimits(options)
        == SupportLimits(Options(sections: ["support": ["refresh_grace": "0.5", "comment_max_bytes": "8192"]])))
    #expect(options.sections["support.agents"] == ["ann@shop.example.test": "Ann"])
    let app = try #require(SupportAppSettings("shop", options))
    #expect(app.appID == "app-1" && app.identity == .jwt && app.integration?.name == "webhook")
    #expect(app.jwtURL == "https://shop.example.test/jwt" && app.webhookURL == "https://shop.example.test/push")
    #expect(app.coalescing == .milliseconds(250) && app.language(for: "pt-br") == "pt-br")
  }

  @Test("an app exists by being named")
  func named() throws {
    #expect(SupportAppSettings("shop", try Self.load("support.app.shop:").options)?.integration == nil)
    #expect(SupportAppSettings("shop", try Self.load("support:").options) == nil)
  }

  @Test("limits of section server arrive")
  func limits() throws {
    let loaded = try Self.load("server: { limits.support_requests: 7, limits.support_users: 8 }")
    #expect(loaded.engineLimits.supportRequestsMaximum == 7 && loaded.engineLimits.supportUsersMaximum == 8)
  }

  @Test("an app without a URL is a warning: an operator may set one by the API")
  func webhookToCome() throws {
    let loaded = try Self.load("support.app.shop:\n  integration: webhook")
    #expect(
      loaded.warnings.map(\.description) == [
        "c.yaml:2: section support.app.shop, option integration: nobody is notified until webhook_url is set, here or "
          + "by an operator through the API"
      ])
    #expect(try Self.load("support.app.shop: { integration: airship }").warnings.isEmpty)
  }

  private static let secret = String(repeating: "s", count: 32)

  @Test(
    "a wrong value is refused with its reason, and no secret is shown",
    arguments: [
      ("identity: token", "option identity: must be one of anonymous, jwt, not “token”"),
      ("integration: push", "option integration: must be one of none, webhook, airship, direct, not “push”"),
      ("identity: jwt, jwt_secret: \(secret)", "option identity: jwt needs option jwt_url beside it"),
      ("identity: jwt, jwt_url: 'https://a.test/'", "option identity: jwt needs option jwt_secret beside it"),
      ("jwt_secret: \(secret.dropLast())", "option jwt_secret: must have 32 to 1024 bytes"),
      ("jwt_secret: \(String(repeating: "s", count: 1_025))", "option jwt_secret: must have 32 to 1024 bytes"),
      ("jwt_url: 'http://a.test/'", "option jwt_url: must be an https URL unless option test is true"),
      ("webhook_url: 'http://a.test/'", "option webhook_url: must be an https URL unless option test is true"),
      ("webhook_url: /secret-path", "option webhook_url: must be an http or https URL"),
      (
        "zendesk_signature_secret: \(String(repeating: "s", count: 1_025))",
        "option zendesk_signature_secret: is longer than 1024 bytes"
      ),
      (
        "notification_body: 'Dear {{name}}, {{comment}}'",
        "option notification_body: “{{name}}” stands for nothing here; there are {{agent}}, {{comment}}, {{subject}}, "
          + "{{ticket_id}}"
      ),
      (
        "notification_title.de: '{{ agent }}'",
        "option notification_title.de: “{{ agent }}” stands for nothing here; there are {{agent}}, {{comment}}, "
          + "{{subject}}, {{ticket_id}}"
      ),
      (
        "notification_title.1: x",
        "option notification_title.1: what follows notification_title is no language, such as de or pt-BR"
      ),
      (
        "notification_title.: x",
        "option notification_title.: what follows notification_title is no language, such as de or pt-BR"
      ),
      (
        "notification_body.pt-br: x, notification_body.pt_BR: y",
        "option notification_body.pt_BR: is notification_body.pt-br again"
      ),
      ("coalesce_ms: -1", "option coalesce_ms: must be an integer, 0 to 3600000, not “-1”"),
      ("webhook_uri: 'https://a.test/'", "option webhook_uri: unknown option; did you mean webhook_url?"),
    ])
  func refused(line: String, complaint: String) {
    #expect {
      try Self.load("support.app.shop: { \(line) }")
    } throws: { "\($0)" == "c.yaml:1: section support.app.shop, \(complaint)" }
  }

  @Test(
    "events for another help desk go to https, with a secret of the right form",
    arguments: [
      ("events_url: 'http://a.test/'", "option events_url: must be an https URL unless option events_test is true"),
      ("events_secret: whsec_c2hvcnQ=", "option events_secret: must be whsec_ and 24 to 64 bytes as base64"),
      ("events_secret: \(secret)", "option events_secret: must be whsec_ and 24 to 64 bytes as base64"),
      ("webhook_timeout: 61", "option webhook_timeout: must be whole seconds, 1 to 60, not “61”"),
    ])
  func events(line: String, complaint: String) {
    #expect {
      try Self.load("support: { \(line) }")
    } throws: { "\($0)" == "c.yaml:1: section support, \(complaint)" }
  }

  @Test(
    "agents' e-mails are addresses and nothing else",
    arguments: [
      ("kim", "kim"), ("kim@a.test, kim", "kim"), ("kim@", "kim@"), ("kim@a@b.test", "kim@a@b.test"),
      ("Kim <kim@a.test>", "Kim <kim@a.test>"), ("kim@a.test;ben@a.test", "kim@a.test;ben@a.test"),
    ])
  func agents(emails: String, stranger: String) {
    let place = "c.yaml:1: section support, option agent_emails"
    #expect {
      try Self.load("support: { agent_emails: '\(emails)' }")
    } throws: { "\($0)" == "\(place): must be a list of e-mail addresses; “\(stranger)” is none" }
  }

  @Test(
    "blanks around agents' e-mails are not part of them",
    arguments: ["' Kim@a.test ,\tben@a.test,'", "[' Kim@a.test', \"ben@a.test \"]", "\"Kim@a.test,ben@a.test\""])
  func agentsTrimmed(value: String) throws {
    let options = try Self.load("support: { agent_emails: \(value) }").options
    #expect(options.sections["support"]?["agent_emails"] == "Kim@a.test,ben@a.test")
  }

  @Test(
    "what is right is taken",
    arguments: [
      "support: { events_url: 'http://a.test/', events_test: true }",
      "support: { events_secret: whsec_\(Data(repeating: 1, count: 24).base64EncodedString()) }",
      "support.app.shop: { test: true, webhook_url: 'http://a.test/', jwt_url: 'http://a.test/' }",
      "support.app.shop: { notification_title: '{{agent}} on {{ticket_id}}', notification_body.de: 'Ein {Wort}' }",
      "support.app.a: { app_id: b }\nsupport.app.b: { app_id: c }",
    ])
  func taken(yaml: String) throws {
    #expect(try Self.load(yaml).warnings.isEmpty)
  }

  @Test("an id by which an SDK asks names one app")
  func twins() {
    #expect {
      try Self.load("support.app.a:\n  app_id: b\nsupport.app.b:")
    } throws: { "\($0)" == "c.yaml:2: section support.app.a, option app_id: is the id of section support.app.b too" }
    #expect {
      try Self.load("support.app.a:\n  app_id: x\nsupport.app.b:\n  app_id: x")
    } throws: { "\($0)" == "c.yaml:4: section support.app.b, option app_id: is the id of section support.app.a too" }
  }

  @Test("the example configuration is taken without a word")
  func example() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/App/carillon.example.yaml")
    let loaded = try Self.load(try String(contentsOf: path, encoding: .utf8))
    #expect(loaded.warnings.isEmpty)
    let app = try #require(SupportAppSettings("demo", loaded.options))
    #expect(app.integration?.name == "webhook" && app.identity == .anonymous && app.isTest && app.webhookURL != nil)
  }
}
