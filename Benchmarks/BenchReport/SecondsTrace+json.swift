import JSONEnvelope

extension SecondsTrace {
  func write(_ object: inout JSONObjectWriter) {
    object.object("slowest") { slowest.write(&$0) }
    object.object("median") { median.write(&$0) }
    object.array("p99s", p99s) { milliseconds, writer in writer.value(milliseconds) }
  }

  /// Nil if it is not what `write` has written.
  init?(_ value: JSONValue) {
    guard let slowest = value["slowest"].flatMap({ TracedSecond($0) }),
      let median = value["median"].flatMap({ TracedSecond($0) }), let p99s = value["p99s"]?.array
    else { return nil }
    self.init(slowest: slowest, median: median, p99s: p99s.compactMap(\.double))
  }
}

extension TracedSecond {
  fileprivate func write(_ object: inout JSONObjectWriter) {
    object.member("second", number)
    object.member("arrived", arrived)
    object.member("p50", p50)
    object.member("p99", p99)
    object.member("max", maximum)
    object.object("readings") { members in
      for reading in readings { members.member(named: reading.name, reading.value) }
    }
  }

  fileprivate init?(_ value: JSONValue) {
    guard let number = value["second"]?.integer, let arrived = value["arrived"]?.integer,
      let p50 = value["p50"]?.double, let p99 = value["p99"]?.double, let maximum = value["max"]?.double,
      let readings = value["readings"]?.object
    else { return nil }
    self.init(
      number: number, arrived: arrived, p50: p50, p99: p99, maximum: maximum,
      readings.members.compactMap { member in member.value.double.map { Reading(member.name, $0) } })
  }
}
