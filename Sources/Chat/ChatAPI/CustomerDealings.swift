package import EventSourcing
import JSONEnvelope

/// What other capabilities know of a customer and somebody may see, the newest first.
package struct CustomerDealings: Sendable {
  package struct Device: Sendable {
    let type: String
    let maskedID: String
    let app: String?
    let isLive: Bool
    let registeredAt: Timestamp

    package init(type: String, deviceID: String, app: String?, isLive: Bool, registeredAt: Timestamp) {
      self.type = type
      maskedID = Self.masked(deviceID)
      self.app = app
      self.isLive = isLive
      self.registeredAt = registeredAt
    }

    /// Enough to tell two apart, and of a short one nothing: whoever has all of it can push to it, or it is a URL.
    static func masked(_ deviceID: String) -> String { deviceID.count < 12 ? "…" : "…\(deviceID.suffix(4))" }

    func write(into device: inout JSONObjectWriter) {
      device.member("type", type)
      device.member("device", maskedID)
      device.member("app", app)
      device.member("live", isLive)
      device.member("registeredAt", registeredAt.iso8601)
    }
  }

  package struct Callback: Sendable {
    let id: String
    let service: String
    let state: String
    let createdAt: Timestamp
    let desiredTime: Timestamp?

    package init(id: String, service: String, state: String, createdAt: Timestamp, desiredTime: Timestamp?) {
      self.id = id
      self.service = service
      self.state = state
      self.createdAt = createdAt
      self.desiredTime = desiredTime
    }

    func write(into callback: inout JSONObjectWriter) {
      callback.member("callbackId", id)
      callback.member("service", service)
      callback.member("state", state)
      callback.member("createdAt", createdAt.iso8601)
      callback.member("desiredTime", desiredTime?.iso8601)
    }
  }

  package struct Request: Sendable {
    let number: Int64
    let subject: String
    let status: String
    let updatedAt: Timestamp

    package init(number: Int64, subject: String, status: String, updatedAt: Timestamp) {
      self.number = number
      self.subject = subject
      self.status = status
      self.updatedAt = updatedAt
    }

    func write(into request: inout JSONObjectWriter) {
      request.member("id", number)
      request.member("subject", subject)
      request.member("status", status)
      request.member("updatedAt", updatedAt.iso8601)
    }
  }

  package var devices: [Device] = []
  package var callbacks: [Callback] = []
  package var requests: [Request] = []

  package init() {}
}
