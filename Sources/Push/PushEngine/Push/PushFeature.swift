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

  package init(_ partitions: Partitions, comet: CometGateway, providers: @escaping ProviderLookUp) {
    let (node, metrics) = (partitions.node, CourierMetrics())
    let queues = partitions.directory(.pushQueue, of: PushQueue.self)
    devices = DeviceService(
      directory: partitions.directory(.device), index: DeviceIndex(), queues: queues, context: partitions.context,
      limits: node.limits, metrics: metrics)
    let lanes = CourierLanes(
      context: partitions.context, limits: node.limits, random: node.random, metrics: metrics, logger: node.logger)
    dispatcher = PushDispatcher(
      partitions, queues: queues, devices: devices, couriers: CourierBook(providers), lanes: lanes, metrics: metrics)
    lanes.bind(dispatcher)
    couriers = CourierService(dispatcher: dispatcher, identifiers: node.identifiers)
    let courier = CometCourier(
      gateway: comet, lanes: lanes, ids: NotificationIDs(randomBytes: node.environment.randomBytes),
      context: partitions.context)
    dispatcher.couriers.add(courier)
    dispatcher.producers.register(OperatorEvents())
    comet.add(courier)
    partitions.add(DeviceHost(devices: devices, dispatcher: dispatcher))
    partitions.add(dispatcher)
  }

  package func drain() async { couriers.stopDeadLetterReplay() }
}
