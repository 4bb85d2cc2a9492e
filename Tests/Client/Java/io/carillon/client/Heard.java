package io.carillon.client;

import java.util.ArrayList;
import java.util.List;

/** A listener that remembers what it was told. */
final class Heard implements ChatListener {
  private final List<ChatEvent> events = new ArrayList<>();
  private final List<CarillonException> troubles = new ArrayList<>();

  @Override
  public synchronized void onEvent(ChatEvent event) {
    events.add(event);
  }

  @Override
  public synchronized void onTrouble(CarillonException trouble) {
    troubles.add(trouble);
  }

  synchronized List<ChatEvent> events() {
    return new ArrayList<>(events);
  }

  synchronized List<CarillonException> troubles() {
    return new ArrayList<>(troubles);
  }

  synchronized int count() {
    return events.size();
  }

  boolean has(CarillonException.Kind kind) {
    for (CarillonException trouble : troubles()) {
      if (trouble.kind() == kind) return true;
    }
    return false;
  }
}
