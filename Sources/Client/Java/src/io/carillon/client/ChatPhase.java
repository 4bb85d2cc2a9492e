package io.carillon.client;

/**
 * Where a chat is.
 *
 * <pre>
 *   IDLE ──start──> FOREGROUND ──enterBackground──> BACKGROUND ──returnToForeground──> FOREGROUND
 *                       │                               │
 *                       └── end, or the other side ends the chat ──> ENDED
 * </pre>
 */
public enum ChatPhase {
  IDLE, FOREGROUND, BACKGROUND, ENDED
}
