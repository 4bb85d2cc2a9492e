/// One figure under its stable name.
struct Measurement: Sendable {
  /// Dotted, such as `chat.p99`; scripts compare runs by it, so it never changes its meaning.
  let name: String
  let value: Double
  let unit: String
  let settings: String

  init(_ name: String, _ value: Double, _ unit: String, settings: String = "") {
    self.name = name
    self.value = value
    self.unit = unit
    self.settings = settings
  }

  /// Large figures whole and in groups of three, small ones with the digits that mean something.
  var text: String {
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

  static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let fraction = String(scaled % Int64(scale))
    return (value < 0 ? "-" : "") + String(scaled / Int64(scale)) + "."
      + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
