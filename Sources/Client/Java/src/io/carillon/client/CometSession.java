package io.carillon.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Comet session by long polling: links, holds a connect again and again, and links anew.
 *
 * <pre>
 *   start ──> linked ──connect held, again and again──┐
 *                ▲                                    │ lost, or forgotten by the server (402)
 *                └───────── pause, link anew ◀────────┘      stop, or the advice "none" ──> over
 * </pre>
 *
 * Spec: Bayeux 1.0.
 */
final class CometSession {
  private static final String PATH = "/genesys/cometd";

  /** Whose session it is. Called on the session's thread, while it holds no lock. */
  interface Owner {
    /** The last event of the transcript that has come; negative: says nothing about it. */
    long position();

    void received(List<CometMessage> events);

    /** @param again after an earlier session, with which something may have been lost. */
    void linked(boolean again);

    void lost(CarillonException failure);

    /** The server wants no more of it. */
    void over(CarillonException failure);
  }

  private final Http http;
  private final CarillonConfiguration configuration;
  private final String channel;
  private final Owner owner;

  // All below is guarded by this.
  private boolean isStopped;
  private String clientId;
  private Object advice;
  private Http.Attempt attempt = new Http.Attempt();
  private int nextId = 1;

  CometSession(Http http, CarillonConfiguration configuration, String channel, Owner owner) {
    this.http = http;
    this.configuration = configuration;
    this.channel = channel;
    this.owner = owner;
  }

  void start() {
    Workers.run(this::run);
  }

  /** Ends the session without a word; nothing more of it comes, and nothing is said to its owner. */
  void abandon() {
    Http.Attempt held;
    synchronized (this) {
      isStopped = true;
      held = attempt;
      notifyAll();
    }
    held.giveUp();
  }

  /** Says goodbye with the position received, then ends the session. Waits for the server's answer. */
  void disconnect() throws CarillonException {
    String id;
    synchronized (this) {
      isStopped = true;
      id = clientId;
      clientId = null;
    }
    try {
      if (id == null) return;
      CometMessage reply = exchange(
          configuration.requestTimeoutMilliseconds, new Http.Attempt(),
          one(request("/meta/disconnect", "clientId", id, "ext", extension()))).get(0);
      if (!reply.isSuccess() && !reply.asksForHandshake()) throw reply.failure();
    } finally {
      abandon();
    }
  }

  /** Publishes to a channel, and waits for the server's answer. */
  void publish(String to, Object data) throws CarillonException {
    String id;
    synchronized (this) {
      id = clientId;
    }
    if (id == null) throw new CarillonException(CarillonException.Kind.INVALID_STATE, "the stream is not linked");
    CometMessage reply = exchange(
        configuration.requestTimeoutMilliseconds, new Http.Attempt(),
        one(request(to, "clientId", id, "data", data))).get(0);
    if (!reply.isSuccess()) throw reply.failure();
  }

  private void run() {
    int failures = 0;
    boolean hasBeenLinked = false;
    // A session that the server has forgotten is replaced at once, but not one that it has only just given out.
    boolean hasJustLinked = false;
    while (!isStopped()) {
      boolean isLinking = clientId() == null;
      try {
        if (isLinking) {
          link();
          if (isStopped()) return;
          owner.linked(hasBeenLinked);
          hasBeenLinked = true;
        } else {
          hold();
        }
        failures = 0;
        hasJustLinked = isLinking;
        if (endsByAdvice(null)) return;
      } catch (CarillonException failure) {
        if (isStopped() || endsByAdvice(failure)) return;
        failures++;
        if (!isLinking && clientId() == null && failures == 1 && !hasJustLinked) failures = 0;
        hasJustLinked = false;
        owner.lost(failure);
        if (!pause(failure, failures)) return;
      }
    }
  }

  private boolean endsByAdvice(CarillonException failure) {
    if (!"none".equals(Json.string(advice(), "reconnect"))) return false;
    abandon();
    owner.over(failure == null ? new CarillonException(CarillonException.Kind.ENDED, "the server ends it") : failure);
    return true;
  }

  private boolean pause(CarillonException failure, int failures) {
    long delay = configuration.backOff.delayMilliseconds(failures);
    if (failure.retryAfterSeconds() > 0) delay = Math.max(delay, failure.retryAfterSeconds() * 1_000);
    return sleep(delay);
  }

  /** @return whether the session goes on. */
  private synchronized boolean sleep(long milliseconds) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    try {
      long rest;
      while (!isStopped && (rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) > 0) wait(rest);
    } catch (InterruptedException interrupted) {
      isStopped = true;
    }
    return !isStopped;
  }

  /** Handshake; then subscription and first connect in one request, so that the catch-up comes with its response. */
  private void link() throws CarillonException {
    synchronized (this) {
      advice = null;
    }
    long timeout = configuration.requestTimeoutMilliseconds;
    CometMessage shaken = exchange(
        timeout, begin(),
        one(request("/meta/handshake", "version", "1.0", "supportedConnectionTypes", types(), "ext", extension())))
        .get(0);
    if (!shaken.isSuccess() || shaken.clientId == null) {
      settle(shaken);
      throw shaken.failure();
    }
    take(shaken.advice);
    List<CometMessage> replies = exchange(
        timeout, begin(),
        Arrays.asList(
            request("/meta/subscribe", "clientId", shaken.clientId, "subscription", channel),
            request(
                "/meta/connect", "clientId", shaken.clientId, "connectionType", "long-polling", "advice",
                Json.of("timeout", 0L), "ext", extension())));
    for (CometMessage reply : replies) settle(reply);
    // A session without its subscription would wait for ever: only now it is one.
    synchronized (this) {
      clientId = shaken.clientId;
    }
  }

  /** One connect, held by the server until there is news or its time is up. */
  private void hold() throws CarillonException {
    long held = Json.integer(advice(), "timeout", Limits.HOLD_MILLISECONDS);
    long timeout = Math.min(Math.max(held, 0), Limits.HOLD_MILLISECONDS_MAXIMUM)
        + configuration.requestTimeoutMilliseconds;
    CometMessage reply = exchange(
        timeout, begin(),
        one(request("/meta/connect", "clientId", clientId(), "connectionType", "long-polling", "ext", extension())))
        .get(0);
    settle(reply);
    long interval = Json.integer(advice(), "interval", 0);
    if (interval > 0) sleep(Math.min(interval, Limits.INTERVAL_MILLISECONDS_MAXIMUM));
  }

  /** Takes over the advice of a reply, and a session that the server does not know any more out of use. */
  private void settle(CometMessage reply) throws CarillonException {
    take(reply.advice);
    if (reply.isSuccess()) return;
    synchronized (this) {
      if (reply.asksForHandshake()) clientId = null;
    }
    throw reply.failure();
  }

  private synchronized void take(Object latest) {
    if (latest == null) return;
    Map<String, Object> merged = new LinkedHashMap<>(Json.object(latest));
    // The time-out stands until a new one comes: it is told once a session.
    Object timeout = Json.member(advice, "timeout");
    if (timeout != null) merged.putIfAbsent("timeout", timeout);
    advice = merged;
  }

  /** Sends the requests as one array, hands on the events of the answer, and returns the reply to each. */
  private List<CometMessage> exchange(long timeout, Http.Attempt attempt, List<Map<String, Object>> requests)
      throws CarillonException {
    Http.Response response = Http.accepted(
        http.exchange("POST", PATH, Http.JSON, Json.bytes(requests), timeout, attempt));
    List<CometMessage> messages = CometMessage.parse(response.body);
    List<CometMessage> events = new ArrayList<>();
    for (CometMessage message : messages) {
      if (!message.isReply()) events.add(message);
    }
    if (!events.isEmpty()) owner.received(events);
    List<CometMessage> replies = new ArrayList<>();
    for (Map<String, Object> request : requests) {
      CometMessage found = null;
      for (CometMessage message : messages) {
        if (message.isReply() && request.get("id").equals(message.id)) found = message;
      }
      if (found == null) {
        throw new CarillonException(
            CarillonException.Kind.MALFORMED_RESPONSE, "no reply to " + request.get("channel"));
      }
      replies.add(found);
    }
    return replies;
  }

  private static List<Map<String, Object>> one(Map<String, Object> request) {
    return Collections.singletonList(request);
  }

  private Map<String, Object> request(String channel, Object... members) {
    Map<String, Object> request = Json.of(members);
    request.put("channel", channel);
    synchronized (this) {
      request.put("id", String.valueOf(nextId++));
    }
    return request;
  }

  /** As text inside {@code ext}, the form that the first clients used. Spec: GMS 4.5. */
  private Map<String, Object> extension() {
    long position = owner.position();
    return position < 0 ? null : Json.of("transcriptPosition", String.valueOf(position));
  }

  private static List<String> types() {
    return Collections.singletonList("long-polling");
  }

  private synchronized Http.Attempt begin() throws CarillonException {
    if (isStopped) throw new CarillonException(CarillonException.Kind.STOPPED, "the session is over");
    attempt = new Http.Attempt();
    return attempt;
  }

  private synchronized boolean isStopped() {
    return isStopped;
  }

  private synchronized String clientId() {
    return clientId;
  }

  private synchronized Object advice() {
    return advice;
  }
}
