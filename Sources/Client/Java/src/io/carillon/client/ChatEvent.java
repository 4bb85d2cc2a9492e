package io.carillon.client;

/** One event of a transcript, as the customer sees it. Spec: GMS 5.1. */
public final class ChatEvent {
  private final long position;
  private final String type;
  private final String nickname;
  private final String text;
  private final long seconds;
  private final String party;

  ChatEvent(long position, String type, String nickname, String text, long seconds, String party) {
    this.position = position;
    this.type = type;
    this.nickname = nickname;
    this.text = text;
    this.seconds = seconds;
    this.party = party;
  }

  /** 1, 2, 3, … without gaps within a chat. */
  public long position() {
    return position;
  }

  /** {@code Message.Text}, {@code Notice.Joined}, … */
  public String type() {
    return type;
  }

  public String nickname() {
    return nickname;
  }

  public String text() {
    return text;
  }

  /** Whole seconds since the chat's start. */
  public long seconds() {
    return seconds;
  }

  /** {@code CLIENT}, {@code AGENT}, {@code SUPERVISOR} or {@code EXTERNAL}. */
  public String party() {
    return party;
  }

  public boolean isFromCustomer() {
    return party.equals("CLIENT");
  }

  @Override
  public String toString() {
    return position + " " + type + " " + nickname + ": " + text;
  }
}
