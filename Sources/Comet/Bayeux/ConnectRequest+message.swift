extension ConnectRequest {
  /// What a `/meta/connect` message asks for.
  public init(_ message: BayeuxMessage) {
    self.init(
      id: message.id, timeout: message.adviceTimeout, interval: message.adviceInterval,
      acknowledged: message.acknowledged, timesync: message.timesync)
  }
}
