/// One figure under its stable name.
package struct Measurement: Sendable, Equatable {
  /// Dotted, such as `chat.p99`; runs are compared by it, so it never changes its meaning.
  package let name: String
  package let value: Double
  package let unit: String
  package let settings: String
  /// Nil for the figure of one round.
  package let spread: Spread?
  /// Of a latency under steady load.
  package let trace: SecondsTrace?

  package init(
    _ name: String, _ value: Double, _ unit: String, settings: String = "", spread: Spread? = nil,
    trace: SecondsTrace? = nil
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.settings = settings
    self.spread = spread
    self.trace = trace
  }

  /// Large figures whole and in groups of three, small ones with the digits that mean something.
  package var text: String {
    switch abs(value) {
    case 1_000...: Self.grouped(Int64(value.rounded()))
    case 100...: String(Int64(value.rounded()))
    case 10...: Self.decimal(value, digits: 1)
    default: Self.decimal(value, digits: 2)
    }
  }

  private static func grouped(_ number: Int64) -> String {
    var groups: [String] = []
    var rest = number.magnitude
    while rest >= 1_000 {
      let group = String(rest % 1_000)
      groups.append(String(repeating: "0", count: 3 - group.count) + group)
      rest /= 1_000
    }
    groups.append(String(rest))
    return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }

  package static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let fraction = String(scaled % Int64(scale))
    return (value < 0 ? "-" : "") + String(scaled / Int64(scale)) + "."
      + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  /// Four digits that mean something: more would be of the machine's mood.
  static func significant(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return "0" }
    var (scale, rest) = (1.0, abs(value))
    while rest < 1_000 {
      rest *= 10
      scale *= 10
    }
    while rest >= 10_000 {
      rest /= 10
      scale /= 10
    }
    return String((value * scale).rounded() / scale)
  }
}
