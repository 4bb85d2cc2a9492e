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
        NameValuePair("_customer_number", phone), NameValuePair("_desired_time", time.iso8601),
        NameValuePair("_call_direction", "USERTERMINATED"),
        NameValuePair("_wait_for_agent", waitsForAgent ? "true" : "false"),
        NameValuePair("_device_os", CountingCourier.type),
        NameValuePair("_device_notification_id", PushStock.token(number)),
        NameValuePair("subject", "Order \(number)"),
      ], userKey: "customer-\(number)")
  }
}
