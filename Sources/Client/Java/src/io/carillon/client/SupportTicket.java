package io.carillon.client;

/** A support request, as its requester sees it. */
public final class SupportTicket {
  private final long id;
  private final String status;
  private final String subject;
  private final String updatedAt;

  SupportTicket(Object value) throws CarillonException {
    id = Json.integer(value, "id", -1);
    status = Json.string(value, "status", "");
    if (id < 0 || status.isEmpty()) {
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "a request without id or status");
    }
    subject = Json.string(value, "subject", "");
    updatedAt = Json.string(value, "updated_at", "");
  }

  public long id() {
    return id;
  }

  /** {@code new}, {@code open}, {@code pending}, {@code hold}, {@code solved} or {@code closed}. */
  public String status() {
    return status;
  }

  public String subject() {
    return subject;
  }

  /** ISO 8601. */
  public String updatedAt() {
    return updatedAt;
  }
}
