internal import EventSourcing
internal import HTTP2Client
internal import NIOHPACK
internal import PushDomain

/// One credential of one project: connections, and an access token or an API key. Spec: providers 1.5.
final class FCMLane: PooledLane {
  enum Form: Sendable {
    case v1(ServiceAccount, AccessTokenSource, any HTTP2Sending)
    case legacy(apiKey: String, url: String)
  }

  let label: String
  /// What the lane was made of, hashed: after a reload it stays if this is the same.
  let content: String
  private let form: Form
  private let client: FCMHTTPClient
  private let apart: FCMTargetsApart

  init(label: String, content: String, form: Form, client: FCMHTTPClient, apart: FCMTargetsApart) {
    self.label = label
    self.content = content
    self.form = form
    self.client = client
    self.apart = apart
  }

  var report: PushLaneReport {
    switch form {
    case .v1(_, let tokens, let http2):
      PushLaneReport(label: label, load: http2.load, tokenIssuedAt: tokens.issuedAt)
    case .legacy: PushLaneReport(label: label)
    }
  }

  func close() async {
    if case .v1(_, let tokens, let http2) = form {
      await http2.close()
      // A request to the token endpoint ends when its client does.
      await client.close()
      await tokens.finish()
    } else {
      await client.close()
    }
  }

  /// One attempt.
  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    do throws(FCMRefusal) {
      switch form {
      case .v1(let account, let tokens, let http2):
        let request = try FCMMessage(delivery).request(projectID: account.projectID)
        return await send(request, delivery, tokens, http2)
      case .legacy(let apiKey, let url):
        return await post(try FCMLegacyMessage(delivery).bytes, apiKey, url, delivery)
      }
    } catch {
      return .refused(reason: error.reason)
    }
  }

  /// What Google certainly did not process goes out again at once, and so does, once, what met a token that had to be
  /// renewed. Spec: providers 1.1, 3.3.
  private func send(
    _ request: HTTP2Request, _ delivery: PushDelivery, _ tokens: AccessTokenSource, _ http2: any HTTP2Sending
  ) async -> PushOutcome {
    var courier = HTTP2Courier(http2)
    var hasRenewed = false
    while true {
      let token: String
      switch await tokens.token(now: delivery.now) {
      case .none(let outcome): return outcome
      case .token(let text): token = text
      }
      var authorized = request
      authorized.headers.add(name: "authorization", value: "Bearer \(token)", indexing: .nonIndexable)
      let response: HTTP2Response
      switch await courier.send(authorized) {
      case .ended(let outcome): return outcome
      case .answered(let answer): response = answer
      }
      let pause = response.headers.first { $0.name == "retry-after" }?.value
      let verdict = FCMVerdict(
        response.status, response.body, pause: RetryAfterHeader.pause(pause, now: delivery.now))
      switch verdict.action {
      case .none:
        if case .delivered = verdict.outcome { apart.remove(delivery.message.target) }
        return verdict.outcome
      case .separateTarget: return apart.judge(delivery.message.target, verdict.outcome)
      case .renewToken:
        await tokens.drop(token)
        if hasRenewed { return verdict.outcome }
        hasRenewed = true
      }
    }
  }

  private func post(_ body: [UInt8], _ apiKey: String, _ url: String, _ delivery: PushDelivery) async -> PushOutcome {
    switch await client.post(body, to: url, type: "application/json", authorization: "key=\(apiKey)") {
    case .answered(let status, let retryAfter, let body):
      return FCMLegacyVerdict.outcome(status, body, pause: RetryAfterHeader.pause(retryAfter, now: delivery.now))
    case .unreachable(let reason): return .unprocessed(reason: reason, isTransport: true)
    case .unknown(let reason): return .retryable(reason: reason, mayBeDelivered: true, isTransport: true)
    case .untrusted(let reason): return .laneBroken(reason: reason)
    }
  }
}
