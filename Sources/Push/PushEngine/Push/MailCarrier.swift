package import EntityRuntime
package import PushDomain

/// Carries out what the mailboxes of queues want: messages for receivers with a connection of their own.
package protocol MailCarrier: Sendable {
  func perform(_ effects: [MailEffect], of queue: Entity<PushQueue>) async
}
