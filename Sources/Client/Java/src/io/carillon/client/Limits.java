package io.carillon.client;

/** The bounds of the client. Nothing that a server sends makes it hold more than this. */
final class Limits {
  /** One response body, bytes. */
  static final int RESPONSE_BYTES_MAXIMUM = 16 * 1024 * 1024;
  /** One WebSocket message, bytes, and the head of the answer that opens a socket. */
  static final int SOCKET_MESSAGE_BYTES_MAXIMUM = 4 * 1024 * 1024;
  static final int SOCKET_HEAD_BYTES_MAXIMUM = 65_536;
  static final int JSON_DEPTH_MAXIMUM = 64;
  /** What an error tells of a body that is no error body, characters. */
  static final int ERROR_EXCERPT_MAXIMUM = 200;
  /** How often a chat asks for what it missed before it waits for the next message to find the gap again. */
  static final int RECOVERY_ATTEMPTS_MAXIMUM = 8;
  /** Ids of messages that are sent, to know one that is handed in again. */
  static final int SENT_IDS_MAXIMUM = 1_000;
  /** Ids of pushes that have come, to know one that comes again, and to tell the server of. */
  static final int PUSH_IDS_MAXIMUM = 1_000;
  /** Upstream messages of a device that wait for the server. */
  static final int UPSTREAM_MAXIMUM = 1_000;
  static final int CONNECT_MILLISECONDS = 10_000;
  /** How long a connect is held if the server does not say. */
  static final long HOLD_MILLISECONDS = 30_000;
  /** Beyond this the server's advice is not followed: a lie of a proxy must not put the client to sleep. */
  static final long HOLD_MILLISECONDS_MAXIMUM = 600_000;
  static final long INTERVAL_MILLISECONDS_MAXIMUM = 60_000;
  static final long RETRY_AFTER_SECONDS_MAXIMUM = 600;

  private Limits() {}
}
