package io.carillon.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is kept of a push channel. Each change is in the store before it counts. */
final class PushState {
  private static final int SPARE_LINES_MAXIMUM = 2_000;

  /** Null: nothing is kept. */
  private final CarillonStore store;
  private boolean isLoaded;
  private int lineCount;
  private String id;
  private String securityToken;
  /** Messages that the app has, and that the server may not know it has; the oldest first. */
  private final Set<String> received = new LinkedHashSet<>();
  /** Registrations of a distributor: a connector's token, and its app. */
  private final Map<String, String> connectors = new LinkedHashMap<>();

  PushState(CarillonStore store) {
    this.store = store;
  }

  /** Takes up what an earlier life of the app has kept; once. */
  synchronized void load() throws CarillonException {
    if (store == null || isLoaded) return;
    try {
      List<String> lines = store.load();
      isLoaded = true;
      lineCount = lines.size();
      for (String line : lines) {
        try {
          take(Json.parse(line));
        } catch (CarillonException noJSON) {
          // Damaged: what it said is lost, the rest is not.
        }
      }
    } catch (IOException | RuntimeException failure) {
      throw failed(failure);
    }
  }

  /** Null before the first check-in. */
  synchronized String id() {
    return id;
  }

  synchronized String securityToken() {
    return securityToken;
  }

  synchronized List<String> received() {
    return new ArrayList<>(received);
  }

  synchronized boolean hasReceived(String message) {
    return received.contains(message);
  }

  synchronized List<String> connectors() {
    return new ArrayList<>(connectors.keySet());
  }

  /** The app that has registered under a connector's token; null if there is none. */
  synchronized String application(String connector) {
    return connectors.get(connector);
  }

  /** A new identity knows nothing of what was registered with another. */
  synchronized void identify(String id, String securityToken) throws CarillonException {
    if (!id.equals(this.id) || !securityToken.equals(this.securityToken)) {
      record(Json.of("identity", id, "token", securityToken));
    }
  }

  /** The identity opens nothing any more. */
  synchronized void forget() throws CarillonException {
    record(Json.of("identity", ""));
  }

  synchronized void receive(String message) throws CarillonException {
    record(Json.of("received", message));
  }

  synchronized void connected(String connector, String application) throws CarillonException {
    record(Json.of("connector", connector, "app", application));
  }

  synchronized void disconnected(String connector) throws CarillonException {
    record(Json.of("connector", connector));
  }

  private void record(Map<String, Object> change) throws CarillonException {
    try {
      if (store != null) {
        store.append(Json.write(change));
        lineCount++;
      }
      take(change);
      if (store != null && lineCount > SPARE_LINES_MAXIMUM + received.size() + connectors.size()) rewrite();
    } catch (IOException | RuntimeException failure) {
      throw failed(failure);
    }
  }

  private void rewrite() throws IOException {
    List<String> lines = new ArrayList<>();
    if (id != null) lines.add(Json.write(Json.of("identity", id, "token", securityToken)));
    for (Map.Entry<String, String> connector : connectors.entrySet()) {
      lines.add(Json.write(Json.of("connector", connector.getKey(), "app", connector.getValue())));
    }
    for (String message : received) lines.add(Json.write(Json.of("received", message)));
    store.replace(lines);
    lineCount = lines.size();
  }

  private void take(Object change) {
    String identity = Json.string(change, "identity");
    String message = Json.string(change, "received");
    String connector = Json.string(change, "connector");
    if (identity != null) {
      id = identity.isEmpty() ? null : identity;
      securityToken = Json.string(change, "token");
      received.clear();
      connectors.clear();
    } else if (message != null) {
      received.add(message);
      if (received.size() > Limits.PUSH_IDS_MAXIMUM) received.remove(received.iterator().next());
    } else if (connector != null) {
      String application = Json.string(change, "app");
      if (application == null) connectors.remove(connector);
      else connectors.put(connector, application);
    }
  }

  private static CarillonException failed(Exception failure) {
    return new CarillonException(CarillonException.Kind.STORE_FAILED, String.valueOf(failure.getMessage()), failure);
  }
}
