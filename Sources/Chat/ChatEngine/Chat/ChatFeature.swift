import Bayeux
import ChatDomain
package import CometEngine
package import EngineKit
import EntityRuntime
import EventSourcing
package import OptionKit
package import PushEngine

/// Chats, and the agents who serve them.
package struct ChatFeature: Feature {
  package static var kinds: [EntityCard] { [.chat, .agent, .cannedReplies] }
  package static var options: [OptionSpecification] { ChatOptions.options + SearchOptions.options }
  package static var metrics: [MetricKey] { [] }

  package let chats: ChatService
  package let agents: AgentService
  package let cannedReplies: CannedReplies
  package let figures: FigureService
  package let feed: AgentFeed
  package let search: SearchService
  package let interpreter: ChatInterpreter
  package let desks: AgentHost
  package let distributor: ChatDistributor
  package let ready: ReadyAgents

  package init(_ partitions: Partitions, comet: CometGateway, push: PushFeature) {
    let node = partitions.node
    feed = AgentFeed(
      limits: node.limits, time: node.time, firstNumber: AgentFeed.firstNumber(startedAt: node.time.now))
    chats = ChatService(
      directory: partitions.directory(.chatSession), index: ChatIndex(), comet: comet.directory, options: node.options,
      policies: ChatPolicies(node.options), limits: node.limits, nodeNumber: node.number, identifiers: node.identifiers)
    desks = AgentHost(partitions.directory(.agent), feed: feed)
    search = SearchService(partitions, chats: chats)
    ready = ReadyAgents(desks: desks.directory, context: partitions.context)
    agents = AgentService(
      chats: chats, desks: desks.directory, feed: feed, search: search, ready: ready, context: partitions.context)
    figures = FigureService(chats: chats, context: partitions.context)
    cannedReplies = CannedReplies(partitions.directory(.cannedReplies), identifiers: node.identifiers)
    distributor = ChatDistributor(
      chats: chats, desks: desks.directory, ready: ready, feed: feed, context: partitions.context, tasks: node.tasks)
    interpreter = ChatInterpreter(
      service: chats, comet: comet.directory, agents: feed, search: search, distributor: distributor,
      pushes: ChatPushes(chats: chats, dispatcher: push.dispatcher), timers: partitions.timers(),
      channel: comet.policy.eventChannel)
    desks.add(ready)
    desks.add(distributor)
    push.dispatcher.producers.register(interpreter.pushes)
    comet.add(ChatRides(chats: chats, interpreter: interpreter))
    partitions.add(interpreter)
    partitions.add(desks)
    partitions.add(cannedReplies)
  }

  package func restored() async throws { search.beginRestoring() }

  package func run() async { await search.run() }

  /// Ends the agents' streams.
  package func drain() async { feed.finish() }

  package func finish() { search.finish() }
}
