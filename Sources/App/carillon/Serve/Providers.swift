import CarillonConfiguration
import CoreMetrics
import Engine
import EventSourcing
import Logging
import Metrics
import OptionKit
import PushDomain
import PushProviders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which courier serves which push type: one line for each provider.
struct Providers {
  let table: ProviderTable
  /// Asks apps' back ends who their users are.
  let identities: IdentityVerifier
  private let courier: WebhookCourier
  private let apns: APNsProvider
  private let fcm: FCMProvider

  init(_ settings: PushSettings) {
    var webhooks = settings.webhooks
    webhooks.version = Version.current
    courier = WebhookCourier(webhooks)
    identities = IdentityVerifier(courier: courier)
    apns = APNsProvider(tokenStore: FileProviderTokenStore(directory: settings.providerTokenDirectory))
    fcm = FCMProvider()
    table = ProviderTable([
      apns, fcm, CustomHTTPProvider(courier: courier), HTTPCallbackProvider(courier: courier),
      AirshipProvider(courier: courier), WebPushProvider(courier: courier), SupportWebhookProvider(courier: courier),
      OperatorEventsProvider(courier: courier),
    ])
  }

  /// Closes the couriers' connections.
  func shutdown() async {
    await apns.shutdown()
    await fcm.shutdown()
    await courier.shutdown()
  }

  // MARK: What can be sent

  /// One kind of push with one set of credentials.
  struct Readiness: CustomStringConvertible {
    let type: String
    /// Nil for the credentials of section `push` itself.
    let provider: String?
    let isDebug: Bool
    /// Nil if pushes can be sent.
    let obstacle: String?

    var description: String {
      let name = type + (provider.map { " by \($0)" } ?? "") + (isDebug ? " (debug)" : "")
      return "\(name): \(obstacle ?? "ready")"
    }
  }

  /// Every enabled type, with the credentials of section `push` and with each named provider that has some of its own.
  func readiness(_ configuration: LoadedConfiguration) -> [Readiness] {
    let options = configuration.options
    let enabled = options.section(.push)[DeliveryOptions.keys.enabledTypes]
    let named = SectionNames.providers(configuration.sections.keys)
    var found: [Readiness] = []
    for type in enabled where table[type] != nil {
      for provider in [nil] + named.map(Optional.some) {
        for isDebug in [false, true] {
          let hasOwn = configuration.sections.contains { section, values in
            section.hasPrefix(provider.map { "push.provider.\($0)" } ?? "push")
              && values.keys.contains { Samples.isCredential($0, of: type, debug: isDebug) }
          }
          guard provider == nil && !isDebug || hasOwn else { continue }
          let target = PushAddress(type: type, deviceID: Samples.device(type), provider: provider, debug: isDebug)
          let lookUp = PushOptions { options.push($0, provider: provider, tag: "", debug: isDebug) }
          found.append(
            Readiness(
              type: type, provider: provider, isDebug: isDebug, obstacle: table.obstacle(target, lookUp)))
        }
      }
    }
    return found
  }

  /// The types that are enabled and cannot be sent with any credentials, each with what its own lack.
  func unusable(_ configuration: LoadedConfiguration) -> [Readiness] {
    let all = readiness(configuration)
    let usable = Set(all.filter { $0.obstacle == nil }.map(\.type))
    return all.filter { !usable.contains($0.type) }
  }

  func log(_ configuration: LoadedConfiguration, to logger: Logger) {
    for one in unusable(configuration) {
      logger.warning(
        "pushes of this type cannot be sent",
        metadata: [
          "type": "\(one.type)", "provider": "\(one.provider ?? "default")", "reason": "\(one.obstacle ?? "")",
        ])
    }
  }

  /// Brings the gauges of connections and credentials up to date.
  func report() {
    let now = Date().timeIntervalSince1970
    for lane in apns.laneReports + fcm.laneReports {
      let dimensions = [("lane", lane.label)]
      Gauge(CourierMetricKeys.keys.laneConnections, dimensions: dimensions).record(lane.connections)
      Gauge(CourierMetricKeys.keys.laneStreams, dimensions: dimensions).record(lane.streams)
      if let issued = lane.tokenIssuedAt {
        Gauge(CourierMetricKeys.keys.tokenAge, dimensions: dimensions)
          .record(now - Double(issued.milliseconds) / 1_000)
      }
      if let expiry = lane.certificateExpiry {
        Gauge(CourierMetricKeys.keys.certificateExpiry, dimensions: dimensions)
          .record(Double(expiry.milliseconds) / 1_000 - now)
      }
    }
  }
}

/// What stands for a device when there is none: only the credentials are in question.
private enum Samples {
  /// Whether an option belongs to a type's credentials in this environment.
  static func isCredential(_ option: String, of type: String, debug: Bool) -> Bool {
    guard option.hasPrefix("debug.") == debug else { return false }
    let name = debug ? String(option.dropFirst("debug.".count)) : option
    return PushType(rawValue: type)?.credentialPrefixes.contains { name.hasPrefix($0) } ?? false
  }

  static func device(_ type: String) -> String {
    switch PushType(rawValue: type) {
    case .httpcb: "https://receiver.invalid/"
    case .webpush:
      // The generator of P-256 is a point as good as any.
      """
      {"endpoint":"https://push.invalid/","keys":{"auth":"AAAAAAAAAAAAAAAAAAAAAA",\
      "p256dh":"BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}}
      """
    case .ios: "00"
    default: "sample"
    }
  }
}

private enum SectionNames {
  /// The providers that sections name, each once.
  static func providers(_ sections: some Sequence<String>) -> [String] {
    var names: Set<String> = []
    for section in sections where section.hasPrefix("push.provider.") && !section.hasPrefix("push.provider.event.") {
      let rest = section.dropFirst("push.provider.".count)
      names.insert(String(rest.firstRange(of: ".event.").map { rest[..<$0.lowerBound] } ?? rest))
    }
    return names.sorted()
  }
}
