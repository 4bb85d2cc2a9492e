import Foundation

/// How often a server is killed.
enum KillPlan {
  private static let isLong = ProcessInfo.processInfo.environment["CARILLON_KILLS"] == "all"

  /// - Parameter long: if `CARILLON_KILLS=all` asks for the long form.
  static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }
}
