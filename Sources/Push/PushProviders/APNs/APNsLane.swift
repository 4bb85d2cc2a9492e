internal import EventSourcing
internal import HTTP2Client
internal import NIOHPACK
internal import PushDomain

/// One credential against one environment for one topic: its connections and its provider token. Spec: providers 1.5.
final class APNsLane: PooledLane {
  let label: String
  /// What the lane was made of, hashed: after a reload it stays if this is the same.
  let content: String
  let client: any HTTP2Sending
  private let mint: ProviderTokenMint?

  /// - Parameter mint: nil if a client certificate speaks for us.
  init(label: String, content: String, client: any HTTP2Sending, mint: ProviderTokenMint?) {
    self.label = label
    self.content = content
    self.client = client
    self.mint = mint
  }

  var report: PushLaneReport {
    PushLaneReport(
      label: label, load: client.load, tokenIssuedAt: mint?.issuedAt, certificateExpiry: client.certificateEnd)
  }

  func close() async { await client.close() }

  /// One attempt. What Apple certainly did not process goes out again at once, and so does, once, what met a token that
  /// had to be renewed. Spec: providers 1.1, 2.2.
  func send(_ request: HTTP2Request, _ delivery: PushDelivery) async -> PushOutcome {
    var courier = HTTP2Courier(client)
    var hasRenewed = false
    while true {
      var authorized = request
      var token: String?
      if let mint {
        guard let made = try? await mint.token(now: delivery.now) else {
          return .laneBroken(reason: "provider token cannot be signed")
        }
        authorized.headers.add(name: "authorization", value: "bearer \(made)", indexing: .nonIndexable)
        token = made
      }
      let response: HTTP2Response
      switch await courier.send(authorized) {
      case .ended(let outcome): return outcome
      case .answered(let answer): response = answer
      }
      let verdict = APNsVerdict(response, attempt: delivery.attempt, now: delivery.now)
      switch verdict.action {
      case .none: return verdict.outcome
      case .holdToken:
        await mint?.tooManyUpdates(now: delivery.now)
        return verdict.outcome
      case .retireConnection:
        client.retire(response.connection)
        guard case .unprocessed = verdict.outcome, courier.mayRepeat() else { return verdict.outcome }
      case .renewToken:
        guard let mint, let token, !hasRenewed else { return verdict.outcome }
        let date = response.headers.first { $0.name == "date" }.flatMap { RetryAfterHeader.date($0.value) }
        guard await mint.expired(token, date: date, now: delivery.now) == .renewed else { return verdict.outcome }
        hasRenewed = true
      }
    }
  }
}
