package import OptionKit
import PushDomain
import SupportDomain

/// Section `support` beside `SupportLimits`. Spec: support requests 10.
package struct SupportOptions: OptionTable {
  package static let keys = SupportOptions()

  let webhookTimeout = Self.key(
    "webhook_timeout", SupportPushOptions.timeout, default: SupportPushOptions.keys.timeout.builtIn,
    SupportPushOptions.keys.timeout.specification.summary)
  package let agentEmails = OptionKey(
    "agent_emails", in: [.support], .addresses, "addresses of agents: no end user may sign in with them",
    takes: .reload)
  package let eventsURL = OptionKey(
    "events_url", in: [.support], .url, "where another help desk hears of requests and comments; nowhere if absent",
    takes: .reload)
  package let eventsSecret = OptionKey(
    "events_secret", in: [.support], .nonEmptyText, "whsec_…: signs what is posted there (Standard Webhooks)",
    takes: .reload, .secret)
  package let isEventsTest = Self.key("events_test", .flag, default: false, "true: events_url may be plain http")

  package init() {}

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> { OptionKey(name, in: [.support], form, default: builtIn, summary, takes: .reload) }
}

/// Section `support.agents`: what agents are called.
struct SupportAgentOptions: OptionTable {
  private let name = OptionKey(
    "", in: [.supportAgents], .text, "name of an agent's token: the name that users see", takes: .reload, .family)
}
