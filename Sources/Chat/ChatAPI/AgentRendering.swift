package import ChatDomain
import ChatEngine
import EngineKit
import EventSourcing
import HTTPKit
import JSONEnvelope

/// The JSON of the agents' API. Spec: GMS 12.3.
package enum AgentRendering {
  /// - Parameters:
  ///   - isComplete: with the attached data.
  ///   - base: how this server is reached, for the URLs of files; so in all of these.
  static func write(
    _ summary: AgentChatSummary, isComplete: Bool, base: String, into chat: inout JSONObjectWriter
  ) {
    chat.member("chatId", summary.chatID)
    chat.member("serviceId", summary.serviceID)
    chat.member("service", summary.serviceName)
    chat.member("subject", summary.subject)
    chat.member("customer", summary.customer)
    chat.member("startedAt", summary.startedAt.iso8601)
    chat.member("endedAt", summary.endedAt?.iso8601)
    chat.member("customerOnline", summary.customerOnline)
    chat.member("phase", summary.phase?.rawValue)
    chat.member("phaseSince", summary.phaseSince?.iso8601)
    chat.member("position", summary.position)
    writeLast(summary.lastLine, of: summary.chatID, base: base, into: &chat)
    chat.member("unread", summary.unread)
    chat.member("waiting", summary.waiting)
    chat.member("waitingSince", summary.waitingSince?.iso8601)
    if let offer = summary.offer {
      chat.object("offer") { write(offer, into: &$0) }
    } else {
      chat.member("offer", String?.none)
    }
    chat.member("ended", summary.ended)
    chat.objects("agents", summary.agents) { agent, object in
      object.member("agentId", agent.id)
      object.member("nickname", agent.nickname)
      object.member("role", agent.role.rawValue)
    }
    chat.object("pushes") { pushes in
      pushes.member("owed", summary.owedPushes)
      guard let last = summary.lastPush else { return pushes.member("last", String?.none) }
      pushes.object("last") { write(last, into: &$0) }
    }
    writeWrapUp(summary.wrapUp, into: &chat)
    guard isComplete else { return }
    chat.object("data") { data in
      for pair in summary.data { data.member(named: pair.name, pair.value) }
    }
  }

  /// A file is shown by its name.
  private static func writeLast(
    _ line: AgentLine?, of chatID: String, base: String, into chat: inout JSONObjectWriter
  ) {
    guard let line else { return chat.member("lastLine", String?.none) }
    chat.object("lastLine") { write(line, text: line.content.file?.name, of: chatID, base: base, into: &$0) }
  }

  private static func writeWrapUp(_ wrapUp: ChatWrapUp?, into chat: inout JSONObjectWriter) {
    guard let wrapUp else { return chat.member("wrapUp", String?.none) }
    chat.object("wrapUp") { object in
      object.member("agentId", wrapUp.agentID)
      object.member("disposition", wrapUp.disposition)
      object.member("note", wrapUp.note)
      object.member("tags", wrapUp.tags)
      object.member("time", wrapUp.time.iso8601)
    }
  }

  static func write(_ offer: ChatOffer, into object: inout JSONObjectWriter) {
    object.member("agentId", offer.agentID)
    object.member("until", offer.until.iso8601)
  }

  static func write(_ push: HandedPush, into object: inout JSONObjectWriter) {
    object.member("position", push.position)
    object.member("outcome", push.outcome?.rawValue)
    object.member("time", push.time.iso8601)
  }

  static func write(
    _ transcript: AgentTranscript, chatID: String, base: String, into object: inout JSONObjectWriter
  ) {
    object.member("chatId", chatID)
    object.member("startedAt", transcript.startedAt.iso8601)
    object.member("position", transcript.position)
    object.member("ended", transcript.ended)
    object.objects("lines", transcript.lines) { write($0, of: chatID, base: base, into: &$1) }
  }

  /// A line that only agents see has no position, and says so. A file is a URL for whoever knows no files, with a member
  /// more for whoever does.
  /// - Parameter text: in place of its own.
  static func write(
    _ line: AgentLine, text: String? = nil, of chatID: String, base: String, into object: inout JSONObjectWriter
  ) {
    let url = line.content.file.map { fileURL($0, of: chatID, base: base) }
    object.member("position", line.position)
    object.member("type", line.content.type.withoutFiles.rawValue)
    object.member("nickname", line.content.nickname)
    object.member("text", text ?? url ?? line.content.text)
    object.member("role", line.content.role.rawValue)
    object.member("time", line.content.time.iso8601)
    object.member("visibility", line.position == nil ? "agent" : "all")
    guard let file = line.content.file, let url else { return }
    object.object("file") { ChatRendering.write(file, url: url, into: &$0) }
  }

  /// Where agents get a file.
  package static func fileURL(_ file: ChatFile, of chatID: String, base: String) -> String {
    "\(base)\(BoundAgentAct.chats)\(PathText.encode(chatID))/file/\(PathText.encode(file.id))"
  }

  static func write(_ token: AccessToken, isReady: Bool, into agent: inout JSONObjectWriter) {
    agent.member("agentId", token.name)
    agent.member("role", token.role.partyRole.rawValue)
    agent.member("ready", isReady)
    agent.member("services", ifPresent: token.services)
  }
}
