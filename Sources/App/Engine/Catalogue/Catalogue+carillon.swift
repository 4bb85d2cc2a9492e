extension Catalogue {
  /// Every kind, each declared by its capability.
  public static let carillon = Catalogue([
    .chat, .comet, .push, .agent, .audit, .device, .installation, .group, .broadcast, .callback, .subscription,
    .stored, .supportRequest, .supportUser, .supportApp,
  ])
}
