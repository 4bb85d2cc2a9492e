/// Takes stanzas out of a stream of bytes.
///
/// ```
///   version ──41, 38──> tag ──> length ──complete──> body ──complete──> tag …
/// ```
/// Between frames it holds nothing, so that an idle connection costs no buffer. Any violation is final.
/// Spec: GCM D6.1-D6.3.
public struct MCSFrameDecoder: Sendable {
  /// What both sides begin with; 38 is spoken by old clients, in the same way.
  public static let version: UInt8 = 41
  static let versions: Set<UInt8> = [38, 41]

  private static let lengthBytesMaximum = 5

  private enum State {
    case version
    case tag
    case length(MCSTag, value: UInt64, count: Int)
    case body(MCSTag, length: Int)
    case broken(MCSViolation)
  }

  private var state: State
  /// The part of an incomplete body that has come.
  private var partial: [UInt8] = []
  private var isFirst = true
  // Of the limits, what is looked at here: there is a decoder for each connection.
  private let loginBytesMaximum: Int
  private let stanzaBytesMaximum: Int

  /// - Parameter expectsVersion: false for what comes behind the version byte.
  public init(limits: MCSLimits = MCSLimits(), expectsVersion: Bool = true) {
    loginBytesMaximum = limits.loginBytesMaximum
    stanzaBytesMaximum = limits.stanzaBytesMaximum
    state = expectsVersion ? .version : .tag
  }

  /// The next stanza in `bytes`, of which the read part is taken away; nil once there is nothing left of them.
  /// - Throws: the first violation, and the same from then on.
  public mutating func next(in bytes: inout UnsafeRawBufferPointer) throws(MCSViolation) -> MCSStanza? {
    do throws(MCSViolation) {
      return try advance(&bytes)
    } catch {
      state = .broken(error)
      partial = []
      throw error
    }
  }

  private mutating func advance(_ bytes: inout UnsafeRawBufferPointer) throws(MCSViolation) -> MCSStanza? {
    while true {
      switch state {
      case .broken(let violation): throw violation
      case .version:
        guard let byte = Self.take(from: &bytes) else { return nil }
        guard Self.versions.contains(byte) else { throw .unknownVersion }
        state = .tag
      case .tag:
        guard let byte = Self.take(from: &bytes) else { return nil }
        guard let tag = MCSTag(rawValue: byte) else { throw .unknownTag }
        state = .length(tag, value: 0, count: 0)
      case .length(let tag, let value, let count):
        guard let byte = Self.take(from: &bytes) else { return nil }
        let value = value | UInt64(byte & 0x7F) << UInt64(7 * count)
        if byte & 0x80 == 0 {
          guard value <= UInt64(maximum) else { throw .tooLong }
          state = .body(tag, length: Int(value))
        } else {
          guard count + 1 < Self.lengthBytesMaximum else { throw .endlessLength }
          state = .length(tag, value: value, count: count + 1)
        }
      case .body(let tag, let length):
        guard let body = takeBody(length, from: &bytes) else { return nil }
        state = .tag
        isFirst = false
        return try MCSStanza(tag, body)
      }
    }
  }

  private var maximum: Int { isFirst ? loginBytesMaximum : stanzaBytesMaximum }

  private mutating func takeBody(_ length: Int, from bytes: inout UnsafeRawBufferPointer) -> [UInt8]? {
    let count = min(length - partial.count, bytes.count)
    let part = bytes[..<count]
    bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    if partial.isEmpty, count == length { return Array(part) }
    partial.append(contentsOf: part)
    guard partial.count == length else { return nil }
    defer { partial = [] }
    return partial
  }

  private static func take(from bytes: inout UnsafeRawBufferPointer) -> UInt8? {
    guard let byte = bytes.first else { return nil }
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    return byte
  }
}
