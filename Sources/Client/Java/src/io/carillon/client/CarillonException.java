package io.carillon.client;

/**
 * What went wrong between this client and the server.
 *
 * <p>The library hands it over as a value, in an {@link Outcome} or to a listener; it never throws it into a thread of
 * the app. The suspending functions of {@code Carillon.kt} throw it.
 */
public final class CarillonException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What kind of failure it is. */
  public enum Kind {
    /** A server address that is not {@code http://host[:port][/base]} or {@code https://…}. */
    INVALID_ADDRESS("write the address as https://host[:port][/base]"),
    /** An argument that cannot be sent, such as an empty text. Nothing was sent. */
    INVALID_ARGUMENT("mend the argument"),
    /** No connection could be made. The server has done nothing of it. */
    UNREACHABLE("try again once there is a network"),
    /** The connection ended before the answer was complete. Whether the server acted on the request is unknown. */
    CONNECTION_CLOSED("ask the server what it has before trying again"),
    /** No answer in time. Whether the server acted on the request is unknown. */
    TIMED_OUT("ask the server what it has before trying again"),
    /** Bytes that are not HTTP, not JSON, or not what the protocol has in this place. */
    MALFORMED_RESPONSE("see what stands between this device and the server: a proxy, a sign-in page of a network"),
    /** The server refused the request: {@link CarillonException#status()} says how. */
    REFUSED("see the status and the message"),
    /** A Bayeux reply with {@code successful} false; the message is its {@code code:args:text}. */
    UNSUCCESSFUL("see the message"),
    /** The call does not fit the state of the client, such as {@code disconnect} before {@code start}. */
    INVALID_STATE("see the message"),
    /** As many messages wait in the outbox as it holds. */
    OUTBOX_FULL("try again once some are sent"),
    /** The chat is over, and what waited in the outbox was not sent. */
    ENDED("start another chat"),
    /** The client was closed. */
    STOPPED("make another client"),
    /** What the app saves for the library could not be read or written. */
    STORE_FAILED("see that there is room and that the file may be written");

    private final String remedy;

    Kind(String remedy) {
      this.remedy = remedy;
    }

    /** What may help, in a sentence for a developer. */
    public String remedy() {
      return remedy;
    }
  }

  private final Kind kind;
  private final int status;
  private final long retryAfterSeconds;

  CarillonException(Kind kind, String message) {
    this(kind, message, null);
  }

  CarillonException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.status = 0;
    this.retryAfterSeconds = -1;
  }

  private CarillonException(int status, String message, long retryAfterSeconds) {
    super(message);
    this.kind = Kind.REFUSED;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static CarillonException refused(int status, String message, long retryAfterSeconds) {
    return new CarillonException(status, message, retryAfterSeconds);
  }

  public Kind kind() {
    return kind;
  }

  /** The HTTP status of a refusal, 0 for everything else. */
  public int status() {
    return status;
  }

  /** Seconds after which the server wants to be asked again; -1 if it did not say. */
  public long retryAfterSeconds() {
    return retryAfterSeconds;
  }

  /** Whether the same may succeed later, or at another server: this one is not there, or not ready. */
  public boolean mayPass() {
    return isUncertain() || isUndone() || status == 429;
  }

  /** Whether the server may have done what it was asked, or not. */
  public boolean isUncertain() {
    switch (kind) {
      case CONNECTION_CLOSED:
      case TIMED_OUT:
      case MALFORMED_RESPONSE:
        return true;
      default:
        // 503 is said before anything is done; of any other failure on the way nobody knows.
        return status >= 500 && status != 503;
    }
  }

  /** Whether the same may succeed later, and the server has certainly done nothing of what it was asked. */
  public boolean isUndone() {
    return kind == Kind.UNREACHABLE || status == 503
        || kind == Kind.UNSUCCESSFUL && getMessage() != null && getMessage().startsWith("503:");
  }

  @Override
  public String toString() {
    return kind + (status == 0 ? "" : " " + status) + ": " + getMessage();
  }
}
