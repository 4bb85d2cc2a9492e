/// One thing that went over the wire, for logs and demonstrations.
public struct WireTrace: Sendable {
  public enum Direction: Sendable { case sent, received }

  public let direction: Direction
  /// `POST /genesys/cometd`, `200`, `websocket`.
  public let summary: String
  /// The body, or the text of the frame.
  public let body: [UInt8]
}
