package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The address of a server, and those at which its standbys serve once they have taken its place: one of them at a time.
 *
 * <pre>
 *   in use ──answers, whatever it says──> in use
 *      │
 *      └── not there, silent, or not ready ──> the next one is in use; after the last one the first
 * </pre>
 */
final class ServerList {
  interface Question<T> {
    T ask(ServerAddress server) throws CarillonException;
  }

  private final List<ServerAddress> addresses;
  private int place;

  ServerList(List<ServerAddress> addresses) {
    this.addresses = Collections.unmodifiableList(new ArrayList<>(addresses));
  }

  /**
   * Asks the server in use. One that has certainly done nothing of it is not asked again: the others are, as many times
   * as there are addresses. After any other failure the caller has to know, and the next call asks the next server.
   *
   * @throws CarillonException what a server said rather than that others could not be reached.
   */
  <T> T answer(Question<T> question) throws CarillonException {
    int asked = placeInUse();
    CarillonException failure = null;
    for (int i = 0; i < addresses.size(); i++) {
      try {
        return question.ask(addresses.get(asked));
      } catch (CarillonException error) {
        if (!error.isUndone() && !error.isUncertain()) throw error;
        asked = moveOn(asked);
        if (!error.isUndone()) throw error;
        if (failure == null || failure.kind() == CarillonException.Kind.UNREACHABLE) failure = error;
      }
    }
    throw failure;
  }

  private synchronized int placeInUse() {
    return place;
  }

  /** The server at {@code failed} does not serve. Whoever finds that out first moves on for everybody. */
  private synchronized int moveOn(int failed) {
    if (place == failed) place = (place + 1) % addresses.size();
    return place;
  }

  /** Another server is in use from now on: the one of a connection that was held has gone. */
  synchronized void moveOnFrom(ServerAddress failed) {
    moveOn(addresses.indexOf(failed));
  }
}
