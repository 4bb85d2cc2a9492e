package import CoreMetrics

/// A metric, said once: its label, and the sentence by which `/metrics` explains it.
package struct MetricKey: Sendable {
  package let label: String
  package let help: String
  /// Of a histogram of its own: the upper bounds of its buckets, ascending; nil for those of all.
  package let buckets: [Double]?

  package init(_ label: String, _ help: String, buckets: [Double]? = nil) {
    self.label = label
    self.help = help
    self.buckets = buckets
  }
}

/// The metrics of one part of the server: each stored property is one.
package protocol MetricTable: Sendable {
  init()
}

extension MetricTable {
  package static var metrics: [MetricKey] {
    Mirror(reflecting: Self()).children.map { child in
      guard let key = child.value as? MetricKey else {
        preconditionFailure("\(Self.self).\(child.label ?? "") declares a metric")
      }
      return key
    }
  }
}

extension Counter {
  package convenience init(_ key: MetricKey, dimensions: [(String, String)] = []) {
    self.init(label: key.label, dimensions: dimensions)
  }
}

extension Gauge {
  package convenience init(_ key: MetricKey, dimensions: [(String, String)] = []) {
    self.init(label: key.label, dimensions: dimensions)
  }
}

extension Timer {
  package convenience init(_ key: MetricKey, dimensions: [(String, String)] = []) {
    self.init(label: key.label, dimensions: dimensions)
  }
}
