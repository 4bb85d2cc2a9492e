package io.carillon.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Pushes without anybody's push service: this device keeps a connection to the server, over a WebSocket.
 *
 * <pre>{@code
 * PushChannel channel = new PushChannel(configuration, new FileStore(file), message -> show(message.data()));
 * channel.open();
 * channel.register("com.example.app", Arrays.asList("1234567890"), null).whenDone(outcome -> …);     // the token
 * }</pre>
 *
 * <p>A message is acknowledged once the listener has returned, and comes again, under the same id, if the app dies
 * before; what has come is known by its id, with a store over the app's death too. Spec: the device's socket.
 */
public final class PushChannel {
  /** Told what comes, on the configuration's callback executor. */
  public interface Listener {
    void onMessage(PushMessage message);

    default void onConnected(boolean isConnected) {}

    /**
     * The server does not know this device any more, and it gets a new identity: what was registered has to be
     * registered again.
     *
     * @param subtypes those that a distributor has registered; empty for every other app.
     */
    default void onIdentityLost(Collection<String> subtypes) {}
  }

  private static final String SOCKET = "/device/1/socket";
  private static final int HEARTBEAT_SECONDS = 60;
  /** Behind a heartbeat of the server, until it is taken for gone. */
  private static final int HEARTBEAT_GRACE_SECONDS = 30;

  private final CarillonConfiguration configuration;
  private final Caller caller;
  private final PushState state;
  private final Listener listener;
  private final Object checkInLock = new Object();

  // All below is guarded by this.
  private boolean isOpen;
  private boolean isIdle;
  private int generation;
  private WebSocket socket;
  private boolean isReady;
  private final Map<String, Object> upstream = new LinkedHashMap<>();
  private final Map<String, Pending<Void>> waiting = new LinkedHashMap<>();

  /** @param store of this channel alone; null: nothing is kept, and each life of the app is a new device. */
  public PushChannel(CarillonConfiguration configuration, CarillonStore store, Listener listener) {
    this.configuration = configuration;
    this.listener = listener;
    state = new PushState(store);
    caller = new Caller(configuration, this::headers);
  }

  // The connection

  /** Connects, and stays connected until it is closed. */
  public void open() {
    synchronized (this) {
      if (isOpen) return;
      isOpen = true;
      int mine = ++generation;
      Workers.run(() -> run(mine));
    }
  }

  /** Disconnects; what comes meanwhile waits at the server. */
  public synchronized void close() {
    isOpen = false;
    generation++;
    if (socket != null) {
      WebSocket left = socket;
      Workers.run(left::close);
    }
    notifyAll();
  }

  /** While the device is idle, messages of normal priority wait at the server. */
  public void setIdle(boolean idle) {
    synchronized (this) {
      isIdle = idle;
    }
    Workers.run(() -> say(Json.of("type", "status", "idle", idle)));
  }

  // Registration

  /**
   * Registers an app for senders; the same ones get the same token.
   *
   * @param subtype tells registrations of one app apart; null for none.
   */
  public Pending<String> register(String app, List<String> senders, String subtype) {
    return caller.ask(http -> registerNow(http, app, senders, subtype));
  }

  String registerNow(Http http, String app, List<String> senders, String subtype) throws CarillonException {
    checkIn(http);
    Object answer = caller.json(
        http, "POST", "/device/1/register", Json.of("app", app, "senders", senders, "subtype", subtype));
    String token = Json.string(answer, "token");
    if (token == null) throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no token");
    return token;
  }

  /** Ends the registrations of an app, for all senders. */
  public Pending<Void> unregister(String app, String subtype) {
    return caller.ask(http -> {
      unregisterNow(http, app, subtype);
      return null;
    });
  }

  void unregisterNow(Http http, String app, String subtype) throws CarillonException {
    checkIn(http);
    String query = "?app=" + Http.encoded(app) + (subtype == null ? "" : "&subtype=" + Http.encoded(subtype));
    caller.json(http, "DELETE", "/device/1/registrations" + query, null);
  }

  /** Subscribes one of this device's tokens to a topic. */
  public Pending<Void> subscribe(String token, String topic) {
    return caller.ask(http -> {
      checkIn(http);
      caller.json(http, "POST", "/device/1/topics", Json.of("token", token, "topic", topic));
      return null;
    });
  }

  /**
   * Sends a message to an app server; done once the server has it, after a new connection if need be.
   *
   * @param sender whom it is for.
   */
  public Pending<Void> send(String sender, String app, Map<String, String> data) {
    Pending<Void> pending = new Pending<>(caller.callbacks);
    String id = UUID.randomUUID().toString();
    Map<String, Object> message = Json.of(
        "type", "upstream", "id", id, "to", sender, "category", app, "data", new LinkedHashMap<>(data));
    synchronized (this) {
      if (upstream.size() >= Limits.UPSTREAM_MAXIMUM) {
        pending.complete(Outcome.<Void>failed(new CarillonException(
            CarillonException.Kind.OUTBOX_FULL, Limits.UPSTREAM_MAXIMUM + " messages wait")));
        return pending;
      }
      upstream.put(id, message);
      waiting.put(id, pending);
    }
    Workers.run(() -> say(message));
    return pending;
  }

  Caller caller() {
    return caller;
  }

  PushState state() throws CarillonException {
    state.load();
    return state;
  }

  // Who this device is

  private Map<String, String> headers() throws CarillonException {
    Map<String, String> headers = new LinkedHashMap<>();
    if (state().id() != null) headers.put("Authorization", "AidLogin " + state.id() + ":" + state.securityToken());
    return headers;
  }

  /** Gets an identity unless there is one. */
  private void checkIn(Http http) throws CarillonException {
    // Two who ask at once get the same one; what the app calls on its own threads waits for neither.
    synchronized (checkInLock) {
      if (state().id() != null) return;
      Object answer = caller.json(http, "POST", "/device/1/checkin", Json.of());
      String id = Json.string(answer, "id");
      String token = Json.string(answer, "securityToken");
      if (id == null || token == null) {
        throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no identity");
      }
      state.identify(id, token);
    }
  }

  // The loop

  private void run(int mine) {
    int failures = 0;
    while (isPresent(mine)) {
      boolean[] wasReady = new boolean[1];
      try {
        checkIn(caller.http());
        connection(mine, wasReady);
      } catch (CarillonException failure) {
        if (failure.status() == 401) loseIdentity();
      } catch (RuntimeException failure) {
        caller.callbacks.execute(() -> {
          throw failure;
        });
      }
      if (wasReady[0]) caller.callbacks.execute(() -> listener.onConnected(false));
      failures = wasReady[0] ? 1 : failures + 1;
      pause(mine, configuration.backOff.delayMilliseconds(failures));
    }
  }

  private void loseIdentity() {
    try {
      List<String> lost = state.connectors();
      state.forget();
      caller.callbacks.execute(() -> listener.onIdentityLost(lost));
    } catch (CarillonException failure) {
      // The store is full: the next attempt fails again, and tries again.
    }
  }

  /** One connection, from its login to its end. */
  private void connection(int mine, boolean[] wasReady) throws CarillonException {
    ServerList servers = configuration.servers();
    WebSocket opened = servers.answer(
        server -> WebSocket.open(server, SOCKET, (HEARTBEAT_SECONDS + HEARTBEAT_GRACE_SECONDS) * 1_000));
    try {
      synchronized (this) {
        if (mine != generation) return;
        socket = opened;
      }
      opened.write(Json.of(
          "type", "login", "id", state.id(), "token", state.securityToken(), "received", state.received(), "idle",
          isIdle(), "heartbeat", (long) HEARTBEAT_SECONDS));
      while (isPresent(mine)) {
        Object text = Json.parse(opened.read());
        if ("ready".equals(Json.string(text, "type"))) {
          wasReady[0] = true;
          begin(opened);
        } else {
          handle(text, opened);
        }
      }
    } finally {
      opened.close();
      synchronized (this) {
        if (socket == opened) socket = null;
        isReady = false;
      }
    }
  }

  private void begin(WebSocket opened) throws CarillonException {
    List<Object> unsent;
    synchronized (this) {
      isReady = true;
      unsent = new ArrayList<>(upstream.values());
    }
    caller.callbacks.execute(() -> listener.onConnected(true));
    for (Object message : unsent) opened.write(message);
  }

  private void handle(Object text, WebSocket opened) throws CarillonException {
    switch (Json.string(text, "type", "")) {
      case "message":
        PushMessage message = PushMessage.parse(text);
        if (message != null) receive(message, opened);
        break;
      case "ack":
        for (Object id : Json.array(Json.member(text, "ids"))) settle(String.valueOf(id), Outcome.<Void>of(null));
        break;
      case "error":
        String reason = Json.string(text, "reason", "");
        String id = Json.string(text, "id");
        if (id == null) {
          throw reason.equals("unauthenticated")
              ? CarillonException.refused(401, reason, -1)
              : new CarillonException(CarillonException.Kind.UNSUCCESSFUL, reason);
        }
        settle(id, Outcome.<Void>failed(new CarillonException(CarillonException.Kind.UNSUCCESSFUL, reason)));
        break;
      case "heartbeat":
        opened.write(Json.of("type", "alive"));
        break;
      default:
        // Of a later version.
    }
  }

  /** Hands it to the app, and acknowledges it once the app has it. Nothing more is read meanwhile. */
  private void receive(PushMessage message, WebSocket opened) throws CarillonException {
    if (!state.hasReceived(message.id())) {
      CountDownLatch handed = new CountDownLatch(1);
      caller.callbacks.execute(() -> {
        try {
          listener.onMessage(message);
        } finally {
          handed.countDown();
        }
      });
      try {
        // An app that keeps its thread busy for longer gets it again over the next connection.
        if (!handed.await(HEARTBEAT_SECONDS, TimeUnit.SECONDS)) {
          throw new CarillonException(CarillonException.Kind.TIMED_OUT, "the listener does not return");
        }
      } catch (InterruptedException interrupted) {
        throw new CarillonException(CarillonException.Kind.STOPPED, "interrupted");
      }
      state.receive(message.id());
    }
    opened.write(Json.of("type", "ack", "ids", Collections.singletonList(message.id())));
  }

  private void settle(String id, Outcome<Void> outcome) {
    Pending<Void> pending;
    synchronized (this) {
      upstream.remove(id);
      pending = waiting.remove(id);
    }
    if (pending != null) pending.complete(outcome);
  }

  /** Says it now if there is a connection; what matters is said again by the next one. */
  private void say(Object text) {
    WebSocket present;
    synchronized (this) {
      present = isReady ? socket : null;
    }
    if (present == null) return;
    try {
      present.write(text);
    } catch (CarillonException failure) {
      present.close();
    }
  }

  private synchronized boolean isPresent(int mine) {
    return mine == generation;
  }

  private synchronized boolean isIdle() {
    return isIdle;
  }

  private synchronized void pause(int mine, long milliseconds) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    try {
      long rest;
      while (mine == generation && (rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) > 0) wait(rest);
    } catch (InterruptedException interrupted) {
      generation++;
    }
  }
}
