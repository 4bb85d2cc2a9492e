package io.carillon.client;

/** A message of the customer that stands in the transcript. */
public final class SentMessage {
  private final String id;
  private final long position;

  SentMessage(String id, long position) {
    this.id = id;
    this.position = position;
  }

  /** What the app, or the library for it, has called it. */
  public String id() {
    return id;
  }

  /** Of its event in the transcript. */
  public long position() {
    return position;
  }
}
