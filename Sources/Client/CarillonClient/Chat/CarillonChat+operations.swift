import Bayeux
import JSONEnvelope
import TextEncoding

extension CarillonChat {
  /// - Throws: `ClientError.refused` with status 400 once the chat has ended. After `timedOut` and
  ///   `connectionClosed` the message may have been posted or not: `refresh` tells.
  @discardableResult
  public func send(_ text: String) async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("send", [(name: "message", value: text)])
  }

  /// - Parameter preview: what has been typed so far, for the agent only.
  @discardableResult
  public func startTyping(preview: String = "") async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("startTyping", preview.isEmpty ? [] : [(name: "message", value: preview)])
  }

  @discardableResult
  public func stopTyping() async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("stopTyping", [])
  }

  /// A free notice to the agent, such as "is reading the offer".
  @discardableResult
  public func customNotice(_ text: String) async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("customNotice", [(name: "message", value: text)])
  }

  @discardableResult
  public func pushURL(_ url: String) async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("pushUrl", [(name: "pushUrl", value: url)])
  }

  /// Merges into the attached data; an empty value removes its name.
  @discardableResult
  public func updateData(_ data: [(name: String, value: String)]) async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("updateData", data)
  }

  /// Everything after the highest position received, by request instead of by notification.
  @discardableResult
  public func refresh() async throws(ClientError) -> ChatEventMessage {
    try await acceptedOperation("refresh", [(name: "transcriptPosition", value: String(position))])
  }

  private func acceptedOperation(
    _ name: String, _ fields: [(name: String, value: String)]
  ) async throws(ClientError) -> ChatEventMessage {
    guard let serviceID, phase != .idle else { throw .invalidState("the chat has not been started") }
    let reply = try await operation(name, of: serviceID, fields)
    accept(reply, origin: .reply)
    return reply
  }

  func operation(
    _ name: String, of serviceID: String, _ fields: [(name: String, value: String)] = []
  ) async throws(ClientError) -> ChatEventMessage {
    try ChatEventMessage(try await post(path("/" + name), fields: fields))
  }

  func path(_ suffix: String) -> String {
    "/genesys/1/service/\(PercentEncoding.encode(serviceID ?? ""))/ixn/chat\(suffix)"
  }

  func post(_ path: String, fields: [(name: String, value: String)]) async throws(ClientError) -> JSONValue {
    let body = formEncoded(fields)
    configuration.trace?(WireTrace(direction: .sent, summary: "POST \(path)", body: body))
    let response = try await pool.response(
      to: HTTPRequest(
        .post, path, headers: configuration.headers, contentType: "application/x-www-form-urlencoded", body: body),
      timeout: configuration.requestTimeout)
    let bytes = response.bodyBytes
    configuration.trace?(WireTrace(direction: .received, summary: String(response.status), body: bytes))
    guard response.status == 200 else {
      throw .refused(status: response.status, message: errorMessage(in: bytes))
    }
    do { return try JSONValue(parsing: bytes) } catch { throw .malformedResponse("\(error)") }
  }
}
