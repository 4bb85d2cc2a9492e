package import CometEngine
package import EngineKit
import EntityRuntime
import EventSourcing
package import OptionKit
import PushDomain

/// Pushes: devices, their queues, and the lanes to the couriers.
package struct PushFeature: Feature {
  package static var kinds: [EntityCard] { [.push, .device] }
  package static var options: [OptionSpecification] { DeliveryOptions.options + OperatorEventOptions.options }
  package static var metrics: [MetricKey] { CourierMetricKeys.metrics }

  package let dispatcher: PushDispatcher
  package let devices: DeviceService
  package let couriers: CourierService

  package init(_ partition: Partition, comet: CometGateway, providers: @escaping ProviderLookUp) {
    let (node, metrics) = (partition.node, CourierMetrics())
    let queues = partition.directory(.pushQueue, of: PushQueue.self)
    devices = DeviceService(
      directory: partition.directory(.device), index: DeviceIndex(), queues: queues, context: partition.context,
      limits: node.limits, metrics: metrics)
    let lanes = CourierLanes(
      context: partition.context, limits: node.limits, random: node.random, metrics: metrics, logger: node.logger)
    dispatcher = PushDispatcher(
      partition, queues: queues, devices: devices, couriers: CourierBook(providers), lanes: lanes, metrics: metrics)
    lanes.bind(dispatcher)
    couriers = CourierService(dispatcher: dispatcher, identifiers: node.identifiers)
    let courier = CometCourier(
      gateway: comet, lanes: lanes, ids: NotificationIDs(randomBytes: node.environment.randomBytes),
      context: partition.context)
    dispatcher.couriers.add(courier)
    dispatcher.producers.register(OperatorEvents())
    comet.add(courier)
    partition.add(DeviceHost(devices: devices, dispatcher: dispatcher))
    partition.add(dispatcher)
  }

  package func drain() async { couriers.stopDeadLetterReplay() }
}
