import CoreMetrics
import EngineKit
import Metrics
import SupportDomain

/// The metrics of support, looked up once.
struct SupportMetrics: Sendable {
  private let created = Dictionary(
    uniqueKeysWithValues: SupportChannel.allCases.map {
      ($0, Counter(SupportMetricKeys.keys.created, dimensions: [("via", $0.name)]))
    })
  private let comments = Counter(SupportMetricKeys.keys.comments)
  private let planned = Dictionary(
    uniqueKeysWithValues: SupportIntegration.allCases.map {
      ($0, Counter(SupportMetricKeys.keys.notifications, dimensions: [("integration", $0.name)]))
    })
  private let suppressed = Dictionary(
    uniqueKeysWithValues: SupportSuppression.allCases.map {
      ($0, Counter(SupportMetricKeys.keys.suppressed, dimensions: [("reason", $0.name)]))
    })
  private let ended = Dictionary(
    uniqueKeysWithValues: SupportDevice.Reason.allCases.map {
      ($0, Counter(SupportMetricKeys.keys.devicesEnded, dimensions: [("reason", $0.name)]))
    })
  private let byStatus = Dictionary(
    uniqueKeysWithValues: SupportStatus.allCases.map {
      ($0, Gauge(SupportMetricKeys.keys.requests, dimensions: [("status", $0.name)]))
    })

  func changed(_ change: SupportRequestChange, _ channel: SupportChannel?) {
    switch change {
    case .created: if let channel { created[channel]?.increment() }
    case .commented: comments.increment()
    case .updated: break
    }
  }

  func planned(_ integration: SupportIntegration) { planned[integration]?.increment() }
  func suppressed(_ reason: SupportSuppression, devices: Int) { suppressed[reason]?.increment() }
  func deviceEnded(_ reason: SupportDevice.Reason?) { if let reason { ended[reason]?.increment() } }

  func report(
    _ requests: [SupportStatus: Int], devices: [String: [SupportDevice.Address: Int]],
    _ integrations: [String: SupportIntegration?]
  ) {
    for (status, gauge) in byStatus { gauge.record(requests[status] ?? 0) }
    for (app, integration) in integrations {
      let counts = devices[app] ?? [:]
      let fitting = integration.map { counts[$0.address] ?? 0 } ?? 0
      let name = integration?.name ?? "none"
      Gauge(SupportMetricKeys.keys.devices, dimensions: [("app", app), ("integration", name)]).record(fitting)
      Gauge(SupportMetricKeys.keys.devicesStale, dimensions: [("app", app), ("integration", name)])
        .record(counts.values.reduce(0, +) - fitting)
    }
  }
}

extension SupportSuppression {
  var name: String {
    switch self {
    case .noDevices: "no_devices"
    case .refreshed: "refreshed"
    case .coalesced: "coalesced"
    }
  }
}
