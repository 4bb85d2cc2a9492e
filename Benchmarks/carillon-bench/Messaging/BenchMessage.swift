import CarillonClient
import NIOCore

/// Messages of app servers: some 200 bytes of data, each with its number in it.
struct BenchMessage: Sendable {
  static let shared = BenchMessage()
  private static let numberKey = "text"

  private let texts: [String]

  private init() {
    var random = SplitMix64(seed: 5)
    texts = (0..<64).map { _ in MessageText.make(&random) }
  }

  /// - Parameter target: a token, or `/topics/NAME`.
  func body(_ number: Int, to target: String, collapseKey: String? = nil) -> [UInt8] {
    var body = Array(#"{"to":""#.utf8)
    body.reserveCapacity(512)
    body += target.utf8
    if let collapseKey { body += #"","collapse_key":"\#(collapseKey)"#.utf8 }
    body += #"","data":{"title":"Order update","kind":"com.example.order","text":""#.utf8
    body += MessageText.prefix(number)
    body += texts[number % texts.count].utf8
    body += #""}}"#.utf8
    return body
  }

  /// The whole request.
  /// - Parameter key: of the sender.
  func request(_ number: Int, to target: String, key: String, _ address: ServerAddress) -> ByteBuffer {
    let body = body(number, to: target)
    var buffer = ByteBufferAllocator().buffer(capacity: body.count + 256)
    buffer.writeString("POST /gcm/send HTTP/1.1\r\nHost: ")
    buffer.writeString("\(address.host):\(address.port)")
    buffer.writeString("\r\nAuthorization: key=")
    buffer.writeString(key)
    buffer.writeString("\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
    buffer.writeBytes(body)
    return buffer
  }

  /// The number of a message that has arrived; nil for one that is not ours.
  static func number(in pairs: some Sequence<(key: String, value: String)>) -> Int? {
    guard let text = pairs.first(where: { $0.key == numberKey })?.value else { return nil }
    return Int(text.dropFirst().prefix(MessageText.prefixLength - 1))
  }
}
