import EngineKit

/// What devices' connections show operators.
struct DeviceMetricKeys: MetricTable {
  static let keys = DeviceMetricKeys()

  let closes = MetricKey("carillon_device_closes_total", "Connections of devices that ended, by transport and reason.")
  let connections = MetricKey("carillon_device_connections", "Open connections of devices, by transport.")
  let logins = MetricKey("carillon_device_logins_total", "Logins of devices, by transport and result.")
  let messages = MetricKey(
    "carillon_device_messages_total", "Messages on devices' connections, by transport and direction.")

  init() {}
}
