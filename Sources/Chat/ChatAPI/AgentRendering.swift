import ChatDomain
import ChatEngine
import EngineKit
import EventSourcing
import HTTPKit
import JSONEnvelope

/// The JSON of the agents' API. Spec: GMS 12.3.
package enum AgentRendering {
  static func write(_ summaries: [AgentChatSummary], into writer: inout JSONWriter) {
    writer.beginArray()
    for summary in summaries { write(summary, isComplete: false, into: &writer) }
    writer.endArray()
  }

  /// - Parameter isComplete: with the attached data.
  static func write(_ summary: AgentChatSummary, isComplete: Bool, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("chatId")
    writer.string(summary.chatID)
    writer.key("serviceId")
    writer.string(summary.serviceID)
    writer.key("service")
    writer.string(summary.serviceName)
    writer.key("subject")
    writer.string(summary.subject)
    writer.key("customer")
    writer.string(summary.customer)
    writer.key("startedAt")
    writer.string(summary.startedAt.iso8601)
    writer.key("customerOnline")
    writer.bool(summary.customerOnline)
    writer.key("position")
    writer.integer(summary.position)
    writer.key("waiting")
    writer.bool(summary.waiting)
    writer.key("ended")
    writer.bool(summary.ended)
    writer.key("agents")
    writer.beginArray()
    for agent in summary.agents {
      writer.beginObject()
      writer.key("agentId")
      writer.string(agent.id)
      writer.key("nickname")
      writer.string(agent.nickname)
      writer.key("role")
      writer.string(agent.role.rawValue)
      writer.endObject()
    }
    writer.endArray()
    if isComplete {
      writer.key("data")
      writer.beginObject()
      for pair in summary.data {
        writer.key(pair.name)
        writer.string(pair.value)
      }
      writer.endObject()
    }
    writer.endObject()
  }

  static func write(_ transcript: AgentTranscript, chatID: String, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("chatId")
    writer.string(chatID)
    writer.key("startedAt")
    writer.string(transcript.startedAt.iso8601)
    writer.key("position")
    writer.integer(transcript.position)
    writer.key("ended")
    writer.bool(transcript.ended)
    writer.key("lines")
    writer.beginArray()
    for line in transcript.lines {
      writer.beginObject()
      writeMembers(of: line, into: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  /// A line that only agents see has no position, and says so.
  static func writeMembers(of line: AgentLine, into writer: inout JSONWriter) {
    writer.key("position")
    if let position = line.position { writer.integer(position) } else { writer.null() }
    writer.key("type")
    writer.string(line.type.rawValue)
    writer.key("nickname")
    writer.string(line.nickname)
    writer.key("text")
    writer.string(line.text)
    writer.key("role")
    writer.string(line.role.rawValue)
    writer.key("time")
    writer.string(line.time.iso8601)
    writer.key("visibility")
    writer.string(line.position == nil ? "agent" : "all")
  }

  static func write(_ token: AccessToken, isReady: Bool, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("agentId")
    writer.string(token.name)
    writer.key("role")
    writer.string(token.role.partyRole.rawValue)
    writer.key("ready")
    writer.bool(isReady)
    if let services = token.services {
      writer.key("services")
      writer.beginArray()
      for service in services { writer.string(service) }
      writer.endArray()
    }
    writer.endObject()
  }
}
