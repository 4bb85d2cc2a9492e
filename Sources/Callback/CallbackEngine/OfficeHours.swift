import CallbackDomain
import EngineKit
import EventSourcing
import Foundation
import OptionKit

/// The time slots of each service, as its options say.
typealias SlotGrids = OptionCache<String, SlotGrid>

extension SlotGrid {
  /// Open always unless `_business_hours_service` names the service that knows better. What cannot be read leaves the
  /// default: the configuration has been checked at start.
  init(service: String, options: Options) {
    let (callback, keys) = (options.callback(service), CallbackOptions.keys)
    let office = callback[keys.officeService]
    let section = office.flatMap { options.sections["service.\($0)"] } ?? [:]
    let rows = section.filter { BusinessHours.isOption($0.key) }.map { (name: $0.key, value: $0.value) }
    let hours = office == nil ? BusinessHours.always : (try? BusinessHours(options: rows)) ?? .always
    let zone = TimeZone(identifier: SectionReader(section)[keys.timeZone])
    self.init(
      bucketMinutes: callback[keys.bucketMinutes], capacity: callback[keys.bucketCapacity], hours: hours
    ) { time in
      zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)) ?? 0
    }
  }
}
