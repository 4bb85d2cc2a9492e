package io.carillon.client;

/** One comment of a support request. */
public final class SupportComment {
  private final long id;
  private final long authorId;
  private final String text;
  private final String createdAt;

  SupportComment(Object value) throws CarillonException {
    id = Json.integer(value, "id", -1);
    text = Json.string(value, "body");
    if (id < 0 || text == null) {
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "a comment without id or body");
    }
    authorId = Json.integer(value, "author_id", 0);
    createdAt = Json.string(value, "created_at", "");
  }

  public long id() {
    return id;
  }

  public long authorId() {
    return authorId;
  }

  public String text() {
    return text;
  }

  /** ISO 8601. */
  public String createdAt() {
    return createdAt;
  }
}
