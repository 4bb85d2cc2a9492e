/// The events of an agent's stream, as the wire names them.
package enum AgentEventName: String, CaseIterable {
  case waiting, line, customerOnline, typingPreview, dataChanged, read, invited, transferred, push, chatOffered,
    chatOfferWithdrawn, ended, callback, support, agent, reset

  /// For the description of the stream.
  var about: String {
    switch self {
    case .waiting: "a chat waits for an agent: `chatId`, `serviceId`"
    case .line: "a new line of a transcript: `chatId`, `serviceId` and the members of `TranscriptLine`"
    case .customerOnline: "a customer came back or went away: `chatId`, `serviceId`, `customerOnline`"
    case .typingPreview: "what a customer has typed so far: `chatId`, `serviceId`, `text`"
    case .dataChanged: "a chat's attached data changed, or its wrap-up: `chatId`, `serviceId`"
    case .read: "you have read, perhaps elsewhere: `chatId`, `serviceId`, `agentId`, `position`"
    case .invited: "an agent may join a chat: `chatId`, `serviceId`, `agentId`"
    case .transferred: "a chat is for the agents of another service: `chatId`, `serviceId`, `service`"
    case .push: "what became of a push: `chatId`, `serviceId` and the members of a chat's `pushes.last`"
    case .chatOffered: "a chat is yours to take, by joining: `chatId`, `serviceId`, `agentId`, `until`"
    case .chatOfferWithdrawn:
      """
      it is so no longer, and you have not taken it: `chatId`, `serviceId`, `agentId`, `reason` (`passed`, `released`, \
      `away`, `taken`: by somebody else, `ended`: the chat is over)
      """
    case .ended: "a chat is over: `chatId`, `serviceId`"
    case .callback: "something happened to a callback: its members, as in the list of callbacks"
    case .support: "something happened to a support request: its members, as in the list of requests"
    case .agent: "an agent is ready, or not any more: `agentId`, `ready`"
    case .reset: "events were missed: read the lists anew"
    }
  }
}
