package io.carillon.client;

/**
 * Told what happens in a chat, on the configuration's callback executor, one after the other. What it throws goes to
 * the configuration's failure handler, and the chat goes on.
 */
public interface ChatListener {
  /** Something has happened in the chat: each event once, in order, without a gap. */
  void onEvent(ChatEvent event);

  default void onPhase(ChatPhase phase) {}

  /** Whether events come at once. While they do not, the library connects anew by itself. */
  default void onConnected(boolean isConnected) {}

  /** Something failed that the library tries again by itself; to be logged, perhaps. */
  default void onTrouble(CarillonException trouble) {}
}
