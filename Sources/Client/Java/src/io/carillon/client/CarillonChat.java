package io.carillon.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A customer's chat: starts it, stays connected, goes to the background and comes back without losing an event.
 *
 * <pre>{@code
 * CarillonChat chat = new CarillonChat(configuration, event -> show(event), new FileStore(file));
 * chat.start(parameters).whenDone(outcome -> { … });      // takes up the chat of the store, if there is one
 * chat.send("Hello");
 * chat.enterBackground();                                 // from now on the server pushes
 * chat.returnToForeground();                              // what was missed comes to the listener
 * chat.end();
 * }</pre>
 *
 * <p>Every event of the transcript comes to the listener once and in order: each handshake and connect says how far
 * they have come, what comes twice is dropped, and a gap is closed by a request. A lost connection is taken up again
 * with growing pauses for as long as the chat is in the foreground; an unknown session (402) shakes hands anew.
 *
 * <p>What is sent waits in an outbox until it stands in the transcript, one message after the other. Where the answer
 * to one was lost the transcript is asked whether it is there, so that none is sent twice; with a store, over the death
 * of the app too.
 *
 * <p>No method throws or waits; all may be called from any thread.
 */
public final class CarillonChat {
  private final CarillonConfiguration configuration;
  private final ChatListener listener;
  /** The app's. */
  private final Executor callbacks;
  /** What the state is changed on: it writes to the store. */
  private final Executor work = Workers.inOrder();
  /** Coming and going of the Comet session, in the order in which the app has said so. */
  private final Executor transitions = Workers.inOrder();

  // All below is guarded by this.
  private final ChatState state;
  private final Map<String, Pending<SentMessage>> waiting = new LinkedHashMap<>();
  private Http http;
  private CarillonException defect;
  private CometSession session;
  private boolean isClosed;
  private boolean isDraining;
  private boolean isRecovering;
  private long recoveries;
  private boolean isStarting;
  /** A notification has told of events up to here. */
  private long announced;
  /** The last event that was handed to the listener's executor. */
  private long position;

  private volatile ChatPhase phase = ChatPhase.IDLE;

  /** A chat that nothing is kept of. */
  public CarillonChat(CarillonConfiguration configuration, ChatListener listener) {
    this(configuration, listener, null);
  }

  /** @param store of this chat alone; null: nothing is kept. */
  public CarillonChat(CarillonConfiguration configuration, ChatListener listener, CarillonStore store) {
    this.configuration = configuration;
    this.listener = listener;
    callbacks = Workers.inOrder(configuration.callbackExecutor, configuration.failureHandler);
    state = new ChatState(store);
    work.execute(this::load);
  }

  // What is known

  public ChatPhase phase() {
    return phase;
  }

  /** The last event that has come; 0 for none. */
  public synchronized long position() {
    return position;
  }

  /** The id of the service instance, as pushes name it; null before the start. */
  public synchronized String serviceId() {
    return state.serviceId;
  }

  /** Ids of the messages that wait to be sent, those of earlier lives of the app included, oldest first. */
  public synchronized List<String> waitingIds() {
    return new ArrayList<>(waiting.keySet());
  }

  // Coming and going

  /**
   * Starts the chat, or takes up the one that the store knows, and connects to its events. Without a network it fails
   * at once, and may be called again; nothing is started twice.
   */
  public Pending<ChatMessage> start(ChatParameters parameters) {
    Pending<ChatMessage> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      if (isStarting || phase == ChatPhase.FOREGROUND) throw invalid("the chat was started already");
      if (phase == ChatPhase.ENDED) throw invalid("the chat is over: make another one");
      isStarting = true;
      Workers.run(() -> attempt(pending, () -> {
        try {
          return startNow(parameters);
        } finally {
          synchronized (this) {
            isStarting = false;
          }
        }
      }));
    });
    return pending;
  }

  /**
   * Tells the server that the app goes to the background: it keeps the chat and pushes from now on.
   *
   * <p>If that does not get through, the chat is in the background all the same, and the server notices by itself that
   * nobody connects.
   */
  public Pending<Void> enterBackground() {
    Pending<Void> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      if (phase != ChatPhase.FOREGROUND) throw invalid("the chat is not in the foreground");
      CometSession left = leave();
      enter(ChatPhase.BACKGROUND);
      transitions.execute(() -> attempt(pending, () -> {
        if (left != null) left.disconnect();
        return null;
      }));
    });
    return pending;
  }

  /** Shakes hands anew and takes up what was missed. Does nothing unless the chat is in the background. */
  public void returnToForeground() {
    work.execute(() -> {
      synchronized (this) {
        if (phase != ChatPhase.BACKGROUND || isClosed) return;
        enter(ChatPhase.FOREGROUND);
        connect();
        // What waits does not wait for the events: something on the way may let one through and not the other.
        drain();
      }
    });
  }

  /** Ends the chat for both sides. What waits to be sent is not sent any more. May be called again if it fails. */
  public Pending<Void> end() {
    Pending<Void> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      if (state.chatSessionId == null) throw invalid("there is no chat");
      Workers.run(() -> attempt(pending, () -> {
        accept(operation("disconnect", Collections.<String, String>emptyMap()), false);
        return null;
      }));
    });
    return pending;
  }

  /**
   * Lets go of everything without a word: the server takes it for silent loss. What waits stays in the store; a message
   * that is on its way is still waited for.
   *
   * @return done once the store is not used any more, and another chat may take it up.
   */
  public Pending<Void> close() {
    Pending<Void> pending = new Pending<>(callbacks);
    work.execute(() -> {
      CometSession left;
      List<Pending<SentMessage>> unsent;
      synchronized (this) {
        isClosed = true;
        left = leave();
        unsent = new ArrayList<>(waiting.values());
        waiting.clear();
        notifyAll();
      }
      if (left != null) left.abandon();
      for (Pending<SentMessage> message : unsent) message.complete(Outcome.<SentMessage>failed(closed()));
      // Behind the events that are on their way to the listener, and what is kept of them.
      callbacks.execute(() -> work.execute(() -> Workers.run(() -> {
        synchronized (this) {
          while (isDraining) {
            try {
              wait();
            } catch (InterruptedException interrupted) {
              break;
            }
          }
        }
        pending.complete(Outcome.<Void>of(null));
      })));
    });
    return pending;
  }

  // Saying something

  /** Says something; done once it stands in the transcript. */
  public Pending<SentMessage> send(String text) {
    return send(UUID.randomUUID().toString(), text);
  }

  /**
   * Says something under an id of the app's own: handing in the same id again, also after the app's death, says nothing
   * twice (among those that wait and the last thousand that were sent).
   */
  public Pending<SentMessage> send(String id, String text) {
    return enqueue(id, "send", text);
  }

  /** A free notice to the agent, such as "is reading the offer". */
  public Pending<SentMessage> notice(String text) {
    return enqueue(UUID.randomUUID().toString(), "customNotice", text);
  }

  public Pending<SentMessage> sendUrl(String url) {
    return enqueue(UUID.randomUUID().toString(), "pushUrl", url);
  }

  /** @param preview what has been typed so far, for the agent only; null or empty for none. */
  public Pending<Void> typing(boolean isTyping, String preview) {
    Map<String, String> fields = new HashMap<>();
    if (preview != null && !preview.isEmpty()) fields.put("message", preview);
    return operate(isTyping ? "startTyping" : "stopTyping", fields);
  }

  /** Merges into the attached data; an empty value removes its name. */
  public Pending<Void> updateData(Map<String, String> data) {
    return operate("updateData", new LinkedHashMap<>(data));
  }

  /**
   * Pushes go to this device from now on: to be called by {@code onNewToken}. Kept until the server has it, whether
   * there is a network or not.
   */
  public Pending<Void> deviceChanged(PushDevice device) {
    Pending<Void> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      state.device(device);
      drain();
      pending.complete(Outcome.<Void>of(null));
    });
    return pending;
  }

  /** All that was said, from the beginning: for a screen that is built anew. */
  public Pending<ChatMessage> transcript() {
    Pending<ChatMessage> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      if (state.chatSessionId == null) throw invalid("there is no chat");
      Workers.run(() -> attempt(pending, () -> refresh(0)));
    });
    return pending;
  }

  // The start

  private void load() {
    synchronized (this) {
      try {
        http = new Http(configuration.servers(), configuration::headers);
        state.load();
        for (ChatState.Entry entry : state.entries()) waiting.put(entry.id, new Pending<SentMessage>(callbacks));
        position = state.position;
        if (state.chatSessionId != null) enter(ChatPhase.BACKGROUND);
      } catch (CarillonException failure) {
        defect = failure;
      }
    }
  }

  private ChatMessage startNow(ChatParameters parameters) throws CarillonException {
    if (phase == ChatPhase.BACKGROUND) return resume();
    boolean wasTried;
    synchronized (this) {
      wasTried = state.isStartTried && (parameters.instance == null || parameters.instance.equals(state.serviceId));
    }
    if (!wasTried) {
      String instance = parameters.instance == null ? makeInstance() : parameters.instance;
      synchronized (this) {
        state.begin(instance);
        state.startTried();
      }
    }
    ChatMessage reply = startInstance(parameters, wasTried);
    synchronized (this) {
      if (phase != ChatPhase.IDLE) return reply;
      state.started(reply.chatSessionId());
      enter(ChatPhase.FOREGROUND);
      accept(reply, false);
      connect();
      drain();
    }
    return reply;
  }

  private ChatMessage resume() throws CarillonException {
    try {
      ChatMessage present = refresh(position());
      accept(present, false);
      returnToForeground();
      return present;
    } catch (CarillonException failure) {
      // It has lived its time.
      if (failure.status() == 404) over();
      throw failure;
    }
  }

  private String makeInstance() throws CarillonException {
    Object created = http.form(
        "/genesys/1/service/" + Http.encoded(configuration.service), Collections.<String, String>emptyMap(),
        configuration.requestTimeoutMilliseconds);
    String id = Json.string(created, "_id");
    if (id == null) throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no service id");
    return id;
  }

  private ChatMessage startInstance(ChatParameters parameters, boolean wasTried) throws CarillonException {
    try {
      return operation("", parameters.fields());
    } catch (CarillonException failure) {
      // The answer to an earlier attempt was lost: it has started.
      if (failure.status() == 409 && wasTried) return refresh(0);
      // It has ended meanwhile, or nothing came of it: the next attempt begins anew.
      if (failure.kind() == CarillonException.Kind.REFUSED && !failure.mayPass()) forget();
      throw failure;
    }
  }

  private synchronized void forget() {
    try {
      state.forget();
    } catch (CarillonException failure) {
      trouble(failure);
    }
  }

  // Events

  private void connect() {
    CometSession[] fresh = new CometSession[1];
    fresh[0] = new CometSession(http, configuration, "/_genesys", new CometSession.Owner() {
      @Override
      public long position() {
        return CarillonChat.this.position();
      }

      @Override
      public void received(List<CometMessage> events) {
        for (CometMessage event : events) CarillonChat.this.received(event);
      }

      @Override
      public void linked(boolean again) {
        if (!isPresent(fresh[0])) return;
        callbacks.execute(() -> listener.onConnected(true));
        // Between two sessions something may have been lost that no notification repeats.
        if (again) recover(position());
        drain();
      }

      @Override
      public void lost(CarillonException failure) {
        if (!isPresent(fresh[0])) return;
        callbacks.execute(() -> listener.onConnected(false));
        trouble(failure);
        // What was in an answer that is lost the server repeats a few times only.
        if (failure.isUncertain()) recover(position());
      }

      @Override
      public void over(CarillonException failure) {
        lost(failure);
      }
    });
    session = fresh[0];
    transitions.execute(fresh[0]::start);
  }

  private synchronized boolean isPresent(CometSession asked) {
    return session == asked;
  }

  private synchronized CometSession leave() {
    CometSession left = session;
    session = null;
    return left;
  }

  private void received(CometMessage event) {
    if (!event.channel.equals("/_genesys")) return;
    ChatMessage message;
    try {
      message = ChatMessage.parse(Json.member(event.data, "message"));
    } catch (CarillonException other) {
      // Notifications of other kinds come on the same channel.
      return;
    }
    synchronized (this) {
      // A user may have several chats, all on the one channel.
      if (!message.chatSessionId().equals(state.chatSessionId)) return;
    }
    accept(message, true);
  }

  /**
   * Hands on what is new. Events that came before are dropped; events after a gap wait until it is closed.
   *
   * @param isNotification nothing else will bring what is missing before it; what is missing before a reply is on its
   *     way.
   */
  private synchronized void accept(ChatMessage message, boolean isNotification) {
    if (phase == ChatPhase.ENDED || isClosed) return;
    List<ChatEvent> news = new ArrayList<>();
    for (ChatEvent event : message.events()) {
      if (event.position() > position) news.add(event);
    }
    boolean hasGap = news.isEmpty() ? message.position() > position : news.get(0).position() != position + 1;
    if (hasGap) {
      if (isNotification || message.isOver()) recover(message.position());
      return;
    }
    for (ChatEvent event : news) {
      callbacks.execute(() -> {
        try {
          listener.onEvent(event);
        } finally {
          work.execute(() -> keep(event.position()));
        }
      });
    }
    position = Math.max(position, message.position());
    if (message.isOver()) over();
  }

  /** The app has been told of all up to this event. */
  private synchronized void keep(long told) {
    if (state.chatSessionId == null) return;
    try {
      state.received(told);
    } catch (CarillonException failure) {
      // After the app's death it is told once more.
      trouble(failure);
    }
  }

  /** Asks for what is missing, until everything up to {@code target} is there. */
  private synchronized void recover(long target) {
    announced = Math.max(announced, target);
    recoveries++;
    if (isRecovering || isClosed) return;
    isRecovering = true;
    Workers.run(() -> {
      boolean isDone = false;
      try {
        for (int failures = 0; failures < Limits.RECOVERY_ATTEMPTS_MAXIMUM; failures++) {
          if (!sleep(configuration.backOff.delayMilliseconds(failures)) || phase == ChatPhase.ENDED) return;
          long asked;
          synchronized (this) {
            // In the background only what is known to be missing is asked for: the return brings the rest.
            if (phase == ChatPhase.BACKGROUND && position >= announced) return;
            asked = recoveries;
          }
          try {
            accept(refresh(position()), false);
          } catch (CarillonException failure) {
            trouble(failure);
            continue;
          }
          synchronized (this) {
            // Whoever asked meanwhile may have lost what came behind this answer.
            if (asked == recoveries && position >= announced) {
              isDone = true;
              isRecovering = false;
              return;
            }
          }
        }
      } finally {
        synchronized (this) {
          if (!isDone) {
            isRecovering = false;
            announced = position;
          }
        }
      }
    });
  }

  /** The chat has ended, by whomever. */
  private synchronized void over() {
    enter(ChatPhase.ENDED);
    CometSession left = leave();
    if (left != null) {
      // The Comet session is of no more use.
      transitions.execute(() -> {
        try {
          left.disconnect();
        } catch (CarillonException failure) {
          trouble(failure);
        }
      });
    }
    drain();
    notifyAll();
  }

  // The outbox

  private Pending<SentMessage> enqueue(String id, String operation, String text) {
    Pending<SentMessage> fresh = new Pending<>(callbacks);
    if (text == null || text.isEmpty() || id == null || id.isEmpty()) {
      fresh.complete(Outcome.<SentMessage>failed(
          new CarillonException(CarillonException.Kind.INVALID_ARGUMENT, "a message without id or text")));
      return fresh;
    }
    // Half a surrogate pair has no UTF-8: what is compared with the transcript must be what was sent.
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    String sendable = new String(utf8, StandardCharsets.UTF_8);
    onWork(fresh, () -> {
      Long position = state.sentPosition(id);
      if (position != null) {
        fresh.complete(Outcome.of(new SentMessage(id, position)));
        return;
      }
      Pending<SentMessage> known = waiting.get(id);
      if (known != null) {
        known.whenDone(fresh::complete);
        return;
      }
      if (phase == ChatPhase.ENDED) throw ended();
      if (waiting.size() >= configuration.outboxMaximum) {
        throw new CarillonException(
            CarillonException.Kind.OUTBOX_FULL, configuration.outboxMaximum + " messages wait");
      }
      state.add(id, operation, sendable);
      waiting.put(id, fresh);
      drain();
    });
    return fresh;
  }

  /** Sends what waits, unless that is under way or has to wait. */
  private synchronized void drain() {
    if (isDraining || isClosed || phase == ChatPhase.IDLE) return;
    isDraining = true;
    Workers.run(this::drainNow);
  }

  private void drainNow() {
    int failures = 0;
    while (true) {
      ChatState.Entry entry;
      PushDevice device;
      synchronized (this) {
        device = phase == ChatPhase.ENDED ? null : state.untoldDevice;
        entry = state.entries().isEmpty() ? null : state.entries().iterator().next();
        if (isClosed || device == null && entry == null) {
          isDraining = false;
          notifyAll();
          if (phase == ChatPhase.ENDED && !isClosed) closeState();
          return;
        }
      }
      try {
        try {
          if (device != null) tell(device);
          else transmit(entry);
          failures = 0;
        } catch (RuntimeException failure) {
          throw unexpected(failure);
        }
      } catch (CarillonException failure) {
        failures++;
        trouble(failure);
        sleep(Math.max(configuration.backOff.delayMilliseconds(failures), failure.retryAfterSeconds() * 1_000));
      }
    }
  }

  private void closeState() {
    try {
      state.close();
    } catch (CarillonException failure) {
      // The next life of the app finds out by itself that it is over.
      trouble(failure);
    }
  }

  private void tell(PushDevice device) throws CarillonException {
    try {
      operation("updateData", device.fields());
    } catch (CarillonException failure) {
      if (failure.mayPass() || failure.status() == 401) throw failure;
      // The server will not have it: there is nothing to try again.
      trouble(failure);
    }
    synchronized (this) {
      if (state.untoldDevice == device) state.deviceTold();
    }
  }

  /**
   * Sends a message, or finds out what became of an attempt. Afterwards it is done with, unless this throws: then it is
   * to be called again.
   */
  private void transmit(ChatState.Entry entry) throws CarillonException {
    if (entry.triedAfter >= 0) {
      Long found = find(entry);
      if (found != null) {
        finish(entry, found);
        return;
      }
      if (phase != ChatPhase.ENDED && !hasSettled(entry)) return;
      synchronized (this) {
        state.undone(entry);
      }
    }
    if (phase == ChatPhase.ENDED) {
      fail(entry, ended());
      return;
    }
    synchronized (this) {
      state.tried(entry, Math.max(position, state.sentPosition));
    }
    ChatMessage reply;
    try {
      String field = entry.operation.equals("pushUrl") ? "pushUrl" : "message";
      reply = operation(entry.operation, Collections.singletonMap(field, entry.text));
    } catch (CarillonException failure) {
      entry.triedAt = System.nanoTime();
      if (failure.isUncertain()) throw failure;
      synchronized (this) {
        state.undone(entry);
      }
      // 401: until the app has a better token.
      boolean isFinal = failure.kind() == CarillonException.Kind.REFUSED && !failure.mayPass();
      if (!isFinal || failure.status() == 401) throw failure;
      refused(entry, failure);
      return;
    }
    accept(reply, false);
    finish(entry, reply.position());
  }

  /** The server will never take it; perhaps because the chat is over. */
  private void refused(ChatState.Entry entry, CarillonException failure) throws CarillonException {
    if (failure.status() == 404) {
      over();
    } else if (failure.status() == 400) {
      try {
        accept(refresh(position()), false);
      } catch (CarillonException other) {
        trouble(other);
      }
    }
    fail(entry, phase == ChatPhase.ENDED ? ended() : failure);
  }

  /** Where it stands in the transcript behind what was known before the attempt; null if it does not. */
  private Long find(ChatState.Entry entry) throws CarillonException {
    ChatMessage shown;
    try {
      shown = refresh(entry.triedAfter);
    } catch (CarillonException failure) {
      if (failure.status() != 404) throw failure;
      over();
      return null;
    }
    accept(shown, false);
    for (ChatEvent event : shown.events()) {
      if (event.position() > entry.triedAfter && event.isFromCustomer() && event.type().equals(entry.eventType())
          && event.text().equals(entry.text)) {
        return event.position();
      }
    }
    return null;
  }

  /** Whether what was sent would have arrived by now; waits a little if not. */
  private boolean hasSettled(ChatState.Entry entry) {
    long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - entry.triedAt);
    long rest = configuration.settleMilliseconds - elapsed;
    if (rest <= 0) return true;
    sleep(Math.min(rest, configuration.backOff.delayMilliseconds(1)));
    return false;
  }

  private void finish(ChatState.Entry entry, long sentPosition) throws CarillonException {
    Pending<SentMessage> pending;
    synchronized (this) {
      state.sent(entry, sentPosition);
      pending = waiting.remove(entry.id);
    }
    if (pending != null) pending.complete(Outcome.of(new SentMessage(entry.id, sentPosition)));
  }

  private void fail(ChatState.Entry entry, CarillonException failure) throws CarillonException {
    Pending<SentMessage> pending;
    synchronized (this) {
      state.dropped(entry);
      pending = waiting.remove(entry.id);
    }
    if (pending != null) pending.complete(Outcome.<SentMessage>failed(failure));
  }

  // The wire

  private Pending<Void> operate(String name, Map<String, String> fields) {
    Pending<Void> pending = new Pending<>(callbacks);
    onWork(pending, () -> {
      if (state.chatSessionId == null) throw invalid("there is no chat");
      Workers.run(() -> attempt(pending, () -> {
        accept(operation(name, fields), false);
        return null;
      }));
    });
    return pending;
  }

  private ChatMessage refresh(long after) throws CarillonException {
    return operation("refresh", Collections.singletonMap("transcriptPosition", String.valueOf(after)));
  }

  /** @param name empty for the start. */
  private ChatMessage operation(String name, Map<String, String> fields) throws CarillonException {
    String path = "/genesys/1/service/" + Http.encoded(serviceId()) + "/ixn/chat" + (name.isEmpty() ? "" : "/" + name);
    return ChatMessage.parse(http.form(path, fields, configuration.requestTimeoutMilliseconds));
  }

  // Threads

  private interface Step {
    void run() throws CarillonException;
  }

  private interface Question<T> {
    T ask() throws CarillonException;
  }

  /** Runs {@code step} under the lock, behind all that was asked before. */
  private void onWork(Pending<?> pending, Step step) {
    work.execute(() -> {
      try {
        synchronized (this) {
          if (defect != null) throw defect;
          if (isClosed) throw closed();
          step.run();
        }
      } catch (CarillonException failure) {
        pending.complete(Outcome.failed(failure));
      } catch (RuntimeException failure) {
        pending.complete(Outcome.failed(unexpected(failure)));
      }
    });
  }

  private <T> void attempt(Pending<T> pending, Question<T> question) {
    try {
      pending.complete(Outcome.of(question.ask()));
    } catch (CarillonException failure) {
      pending.complete(Outcome.<T>failed(failure));
    } catch (RuntimeException failure) {
      pending.complete(Outcome.<T>failed(unexpected(failure)));
    }
  }

  /** @return whether the chat is still open. */
  private synchronized boolean sleep(long milliseconds) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    try {
      long rest;
      while (!isClosed && (rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) > 0) wait(rest);
    } catch (InterruptedException interrupted) {
      return false;
    }
    return !isClosed;
  }

  private void enter(ChatPhase next) {
    phase = next;
    callbacks.execute(() -> listener.onPhase(next));
  }

  private void trouble(CarillonException failure) {
    callbacks.execute(() -> listener.onTrouble(failure));
  }

  private static CarillonException invalid(String message) {
    return new CarillonException(CarillonException.Kind.INVALID_STATE, message);
  }

  private static CarillonException ended() {
    return new CarillonException(CarillonException.Kind.ENDED, "the chat is over");
  }

  private static CarillonException closed() {
    return new CarillonException(CarillonException.Kind.STOPPED, "the chat was closed");
  }

  private static CarillonException unexpected(RuntimeException failure) {
    return new CarillonException(CarillonException.Kind.INVALID_ARGUMENT, String.valueOf(failure), failure);
  }
}
