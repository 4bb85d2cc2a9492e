import CallbackDomain
import EngineKit
import EventSourcing
import Foundation

/// The time slots of each service, as its options say.
typealias SlotGrids = OptionCache<String, SlotGrid>

extension SlotGrid {
  /// Open always unless `_business_hours_service` names the service that knows better. What cannot be read leaves the
  /// default: the configuration has been checked at start.
  init(service: String, options: Options) {
    let minutes = options.callback(service, "_request_time_bucket").flatMap { Int($0) } ?? 5
    let capacity = options.callback(service, "_max_request_by_time_bucket").flatMap { Int($0) } ?? 100
    let office = options.callback(service, "_business_hours_service").flatMap { $0.isEmpty ? nil : $0 }
    let section = office.flatMap { options.sections["service.\($0)"] } ?? [:]
    let rows = section.filter { BusinessHours.isOption($0.key) }.map { (name: $0.key, value: $0.value) }
    let hours = office == nil ? BusinessHours.always : (try? BusinessHours(options: rows)) ?? .always
    let zone = section["_timezone"].flatMap { TimeZone(identifier: $0) }
    self.init(bucketMinutes: minutes, capacity: capacity, hours: hours) { time in
      zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)) ?? 0
    }
  }
}
