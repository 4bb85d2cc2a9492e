import CallbackDomain
import Engine
import EntityRuntime
import EventSourcing

/// Callbacks such as apps order them, each for a customer with a number and a device of their own.
enum CallbackStock {
  static let service = "callback-voice"
  static let section = "service.\(service)"
  static let ordersAtOnce = 512

  /// Room for all of a measurement; everything else is as it comes.
  static let options = [
    "_max_queued_callbacks_per_service": "2000000", "_max_request_by_time_bucket": "100000",
    "_request_execution_time_buffer": "0",
  ]

  static func order(_ number: Int, at time: Timestamp, waitsForAgent: Bool) -> CallbackOrder {
    let digits = String(number)
    let phone = "+4930" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    return CallbackOrder(
      fields: [
        CallbackField("_customer_number", phone), CallbackField("_desired_time", time.iso8601),
        CallbackField("_call_direction", "USERTERMINATED"),
        CallbackField("_wait_for_agent", waitsForAgent ? "true" : "false"),
        CallbackField("_device_os", CountingCourier.type),
        CallbackField("_device_notification_id", PushStock.token(number)),
        CallbackField("subject", "Order \(number)"),
      ], userKey: "customer-\(number)")
  }
}
