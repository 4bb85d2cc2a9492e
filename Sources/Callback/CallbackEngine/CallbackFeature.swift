import CallbackDomain
package import ChatEngine
package import EngineKit
import EntityRuntime
import EventSourcing
package import OptionKit
package import PushEngine

/// Callbacks, and who they are given to.
package struct CallbackFeature: Feature {
  package static var kinds: [EntityCard] { [.callback] }
  package static var options: [OptionSpecification] { CallbackOptions.options }
  package static var metrics: [MetricKey] { CallbackMetricKeys.metrics }

  package let callbacks: CallbackService

  package init(_ partitions: Partitions, push: PushFeature, chat: ChatFeature) {
    let node = partitions.node
    let directory = partitions.directory(.callback, of: Callback.self)
    let router = CallbackRouter(
      limits: node.limits, context: partitions.context, tasks: node.tasks, agents: chat.ready
    ) { [options = node.options] agentID, id in
      guard let callback = directory[id] else { return false }
      let policy = await options.policy(of: callback)
      do throws(TurnError<CallbackRejection>) {
        return try await callback.perform(CallbackCommand(.agentAvailable(agentID: agentID), policy: policy)) {
          $0.agentID == agentID
        }
      } catch {
        guard case .rejected = error else { return nil }
        return false
      }
    }
    callbacks = CallbackService(
      directory: directory, index: CallbackIndex(), router: router,
      grids: SlotGrids(node.options) { SlotGrid(service: $1, options: $0) },
      options: node.options, chats: chat.chats, desks: chat.desks.directory, context: partitions.context,
      limits: node.limits, identifiers: node.identifiers, metrics: CallbackMetrics())
    let interpreter = CallbackInterpreter(
      service: callbacks, feed: chat.feed, pushes: push.dispatcher, timers: partitions.timers(), logger: node.logger)
    push.dispatcher.producers.register(interpreter)
    chat.desks.add(interpreter)
    chat.interpreter.add(callbacks)
    // Whoever has the callback has its chat.
    chat.distributor.except { [index = callbacks.index] in index[$0] != nil }
    partitions.add(interpreter)
  }
}
