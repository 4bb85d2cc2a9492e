/// The names of topics. Spec: GCM B6.1.
public enum TopicName {
  /// What stands before the name where a topic is a target among others.
  public static let prefix = "/topics/"

  /// Whether it consists of `[a-zA-Z0-9-_.~%]`, and of not too many of them.
  public static func isValid(_ name: some StringProtocol) -> Bool {
    let bytes = name.utf8
    return (1...DownstreamLimits.topicNameBytesMaximum).contains(bytes.count) && bytes.allSatisfy(isPart)
  }

  /// The bare name of `/topics/NAME`, valid or not; nil for everything else.
  public static func named(by recipient: String) -> String? {
    recipient.hasPrefix(prefix) ? String(recipient.dropFirst(prefix.count)) : nil
  }

  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}
