import Engine

/// The services of the simulated server, and what they are configured to.
enum SimulatedServices {
  static let names = ["at-once", "soon", "patient"]
  static let pushType = "test"
  static let timeToLiveSeconds = 7_200
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

  static var options: Options {
    var sections: [String: [String: String]] = ["push": ["pushEnabled": "comet,\(pushType)"]]
    for name in names {
      sections["service.\(name)"] = [
        "_client_timeout_notification": String(pushDelay(of: name).components.seconds),
        "_ttl": String(timeToLiveSeconds),
      ]
    }
    return Options(sections: sections)
  }
}
