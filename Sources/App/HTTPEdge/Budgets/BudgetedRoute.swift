import EdgeSecurity

/// Which requests cost a stranger something: one table, read by the head alone, so that nothing of what is refused has
/// to be taken in first.
enum BudgetedRoute {
  /// Nil for what costs nothing.
  ///
  /// - Parameters:
  ///   - path: without a query string and a format at its end. Empty parts do not count, as they do not for the router.
  static func action(_ method: String, _ path: some StringProtocol) -> BudgetedAction? {
    // To answer HEAD costs as much as GET.
    let method = method == "HEAD" ? "GET" : method
    guard method == "POST" || method == "GET" else { return nil }
    let parts = path.split(separator: "/", maxSplits: partsMaximum)
    guard let first = parts.first else { return nil }
    switch (method, first) {
    case (_, "genesys"): return customers(method, parts)
    case ("POST", "access"): return starts(parts, "access", "sdk") ? .signIns : nil
    case ("POST", "token"): return parts.count == 1 ? .signIns : nil
    case ("POST", "api"): return support(parts)
    case ("POST", "devices"): return parts.count == 2 ? .devices : nil
    case ("POST", "checkin"): return parts.count == 1 ? .checkIns : nil
    case ("POST", "device"):
      guard parts.count == 3 else { return nil }
      return parts[2] == "checkin" ? .checkIns : parts[2] == "register" ? .devices : nil
    case ("POST", "c2dm"): return .devices
    case ("POST", "v1"): return pages(parts)
    case ("POST", "fcm"): return starts(parts, "fcm", "connect") ? .devices : nil
    default: return nil
    }
  }

  /// Longer paths than any that is in the table are told apart no further.
  private static let partsMaximum = 8

  private static func customers(_ method: String, _ parts: [some StringProtocol]) -> BudgetedAction? {
    guard parts.count >= 3, parts[1] == "1" else { return nil }
    switch (method, parts[2], parts.count) {
    case ("POST", "service", 4): return .chats
    case ("POST", "service", 5...) where parts[3] == "callback": return .callbacks
    case ("GET", "service", 4...5) where parts[3] == "callback": return .callbackQueries
    case ("POST", "service", 5...) where parts[4] == "storage": return .uploads
    case ("POST", "storage", _): return .uploads
    case ("POST", "notification", 4) where parts[3] == "subscription": return .subscriptions
    default: return nil
    }
  }

  private static func support(_ parts: [some StringProtocol]) -> BudgetedAction? {
    guard parts.count == 3, parts[1] == "v2" || parts[1] == "mobile" else { return nil }
    switch parts[2] {
    case "uploads": return .uploads
    case "requests": return .requests
    case "push_notification_devices": return .devices
    default: return nil
    }
  }

  /// Registrations of web pages, as Firebase's own libraries make them.
  private static func pages(_ parts: [some StringProtocol]) -> BudgetedAction? {
    parts.count == 4 && parts[1] == "projects" && (parts[3] == "installations" || parts[3] == "registrations")
      ? .devices : nil
  }

  private static func starts(_ parts: [some StringProtocol], _ words: String...) -> Bool {
    parts.count >= words.count && zip(parts, words).allSatisfy { $0 == $1 }
  }
}
