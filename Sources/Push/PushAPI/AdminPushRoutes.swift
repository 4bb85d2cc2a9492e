package import HTTPKit
import Hummingbird
package import PushEngine

/// Devices and pushes for the operator: JSON, with a bearer token of the role `admin`.
package struct AdminPushRoutes: TokenRoutes {
  let devices: DeviceService
  let couriers: CourierService
  package let tokens: TokenStore
  let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int

  package init(
    devices: DeviceService, couriers: CourierService, tokens: TokenStore, limits: EdgeLimits, listMaximum: Int
  ) {
    self.devices = devices
    self.couriers = couriers
    self.tokens = tokens
    self.limits = limits
    self.listMaximum = listMaximum
  }

  package static let surface = RoutedSurface<AdminPushRoutes>(
    "push administration", "Devices, pushes and the couriers that carry them. Needs a token of the role `admin`.",
    deviceOperations + deadLetterOperations + queueOperations + laneOperations,
    schemas: [
      ("PushOrder", order), ("PushEnd", end), ("DeadLetter", deadLetter), ("PushQueue", queueView), ("Lane", lane),
    ])
}
