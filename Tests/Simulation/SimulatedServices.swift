import Engine
import SupportDomain

/// The services of the simulated server, and what they are configured to.
enum SimulatedServices {
  static let names = ["at-once", "soon", "patient"]
  static let pushType = "test"
  static let timeToLiveSeconds = 7_200
  static let callbackNames = ["calls", "visits"]
  static let slotSeconds: Int64 = 300
  static let slotCapacity = 2
  /// App servers, the apps that they send to, and their topics.
  static let senders = ["111", "222", "333"]
  static let apps = ["org.example.a", "org.example.b"]
  static let topics = ["dogs", "cats", "birds"]
  static let appServerPendingMaximum = 20

  static func pushDelay(of service: String) -> Duration {
    switch service {
    case "soon": .seconds(5)
    case "patient": .seconds(90)
    default: .zero
    }
  }

  /// Apps with support requests: which identity they ask for, and how long a newer comment may take another's place.
  static let supportApps = ["mobile", "shop"]
  static let supportDevicesMaximum = 3
  static let supportGraceSeconds = 2
  static func webhookURL(of app: String) -> String { "https://\(app).example/hook" }
  static let supportTypes: Set<String> = ["support-webhook", "support-events", "airship", "ios", "fcm"]

  private static let supportPushes = ["push.retry_schedule": "5,30,300", "push.time_to_live": "7200"]

  private static func supportSections(
    _ integrations: [String: SupportIntegration], reports: Bool
  ) -> [String: [String: String]] {
    var sections: [String: [String: String]] = [
      "support": [
        "devices_per_user": String(supportDevicesMaximum), "refresh_grace": String(supportGraceSeconds),
        "webhook_devices_per_call": "2", "events_url": reports ? "https://desk.example/events" : "",
      ]
    ]
    sections["push.provider.event.support.event"] = supportPushes
    for app in supportApps {
      sections["support.app.\(app)"] = [
        "identity": app == "shop" ? "jwt" : "anonymous", "jwt_url": "https://shop.example/jwt", "jwt_secret": "secret",
        "integration": integrations[app].map(\.name) ?? "none", "webhook_url": webhookURL(of: app),
        "notification_title.de": "Antwort von {{agent}}", "coalesce_ms": app == "shop" ? "1500" : "0",
      ]
      sections["push.provider.\(app)"] = supportPushes
    }
    return sections
  }

  /// - Parameter reports: a helpdesk is told of all requests.
  static func options(_ integrations: [String: SupportIntegration], reports: Bool) -> Options {
    var sections: [String: [String: String]] = ["push": ["pushEnabled": "comet,\(pushType)"]]
    for name in names {
      sections["service.\(name)"] = [
        "_client_timeout_notification": String(pushDelay(of: name).components.seconds),
        "_ttl": String(timeToLiveSeconds),
      ]
    }
    for name in callbackNames {
      sections["service.\(name)"] = [
        "_service": "callback", "_ttl": String(timeToLiveSeconds), "_client_timeout_notification": "0",
        "_request_time_bucket": String(slotSeconds / 60), "_max_request_by_time_bucket": String(slotCapacity),
        "_request_execution_time_buffer": "60", "_user_confirm_timeout": "20", "_snooze_duration": "60",
        "_max_number_of_user_availability_confirmation_attempts": "2",
        "_on_user_confirm_timeout": name == "calls" ? "CONNECT-ANYWAY" : "CANCEL",
        "callback.agent_accept_timeout": "30", "callback.agent_connect_timeout": "60",
        "callback.keep_completed": "1800",
      ]
    }
    return Options(sections: sections.merging(supportSections(integrations, reports: reports)) { $1 })
  }
}
