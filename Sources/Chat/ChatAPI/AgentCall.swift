package import HTTPKit

/// An agent asks for something to be done, by a request or by a message of their socket.
package struct AgentCall: Sendable {
  package let token: AccessToken
  /// Where it is to be done; empty for what is done in no chat.
  package let chat: String
  package let body: JSONBody
  /// How they have reached the server, for the URLs in its answer.
  package let address: RequestedAddress

  package init(token: AccessToken, chat: String, body: JSONBody, address: RequestedAddress) {
    self.token = token
    self.chat = chat
    self.body = body
    self.address = address
  }
}
