package import EdgeSecurity
package import HTTPKit
package import Logging
package import MessagingEngine

/// Messaging: devices that check in and register, and app servers that send to them. Spec: GCM B, D, E.
package struct MessagingRoutes: TokenRoutes {
  package let tokens: TokenStore
  // For app servers; messages themselves are sent past the router, by `SendEndpoint`.
  let groups: GroupRoutes
  let accessTokens: AccessTokenRoutes
  let instanceID: InstanceIDRoutes
  let topicSubscriptions: TopicSubscriptionRoutes
  let pushService: WebPushRoutes
  // For devices and browsers.
  let checkIns: CheckInRoutes
  let registrations: RegisterRoutes
  let installations: InstallationRoutes
  let deviceForms: DeviceFormRoutes
  // For those who watch and test.
  let faults: SenderFaultRoutes
  let stream: MessageStreamRoutes

  package init(
    messaging: MessagingService, tokens: TokenStore, limits: EdgeLimits, settings: MessagingEdgeSettings,
    guesses: GuessGuard, logger: Logger
  ) {
    let known = messaging.installations
    self.tokens = tokens
    groups = GroupRoutes(messaging: messaging, tokens: tokens, limits: limits)
    accessTokens = AccessTokenRoutes(tokens: tokens, limits: limits)
    instanceID = InstanceIDRoutes(installations: known, tokens: tokens, limits: limits)
    topicSubscriptions = TopicSubscriptionRoutes(installations: known, tokens: tokens)
    pushService = WebPushRoutes(messaging: messaging, tokens: tokens, settings: settings)
    checkIns = CheckInRoutes(installations: known, settings: settings)
    registrations = RegisterRoutes(installations: known, guesses: guesses, logger: logger)
    installations = InstallationRoutes(installations: known, tokens: tokens)
    deviceForms = DeviceFormRoutes(installations: known, settings: settings)
    faults = SenderFaultRoutes(messaging: messaging, tokens: tokens, limits: limits)
    stream = MessageStreamRoutes(tap: messaging.tap, tokens: tokens)
  }
}
