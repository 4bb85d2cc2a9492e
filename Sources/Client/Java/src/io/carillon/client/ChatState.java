package io.carillon.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is kept of a chat. Each change is in the store before it counts. Not safe for several threads at once. */
final class ChatState {
  /** Lines beyond what there is to keep, until they are written anew. */
  private static final int SPARE_LINES_MAXIMUM = 2_000;

  /** A text that waits to be sent, or is on its way. */
  static final class Entry {
    final String id;
    /** The operation that sends it: {@code send}, {@code customNotice} or {@code pushUrl}. */
    final String operation;
    final String text;
    /** The last event that was known before an attempt of which nobody knows what became; -1: there is none. */
    long triedAfter = -1;
    /** When that attempt ended, {@code System.nanoTime()}. */
    long triedAt;

    Entry(String id, String operation, String text) {
      this.id = id;
      this.operation = operation;
      this.text = text;
    }

    /** Of its event in the transcript. */
    String eventType() {
      switch (operation) {
        case "customNotice":
          return "Notice.Custom";
        case "pushUrl":
          return "Notice.PushUrl";
        default:
          return "Message.Text";
      }
    }
  }

  /** Null: nothing is kept. */
  private final CarillonStore store;
  private int lineCount;

  String serviceId;
  /** The start of the chat was sent, whatever came of it. */
  boolean isStartTried;
  /** Null until the chat has started. */
  String chatSessionId;
  /** The last event that the app has been told of. */
  long position;
  /** Of the last message that was sent. */
  long sentPosition;
  /** Where pushes are to go and the server does not know yet; null: nothing to tell it. */
  PushDevice untoldDevice;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Map<String, Long> sent = new LinkedHashMap<String, Long>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
      return size() > Limits.SENT_IDS_MAXIMUM;
    }
  };

  ChatState(CarillonStore store) {
    this.store = store;
  }

  /** Takes up what an earlier life of the app has kept. A line that is none is left out. */
  void load() throws CarillonException {
    if (store == null) return;
    try {
      List<String> lines = store.load();
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

  Collection<Entry> entries() {
    return entries.values();
  }

  Entry entry(String id) {
    return entries.get(id);
  }

  /** Where the message of this id stands in the transcript; null if it was not sent, or long ago. */
  Long sentPosition(String id) {
    return sent.get(id);
  }

  void begin(String serviceId) throws CarillonException {
    record(Json.of("chat", serviceId));
  }

  void startTried() throws CarillonException {
    if (!isStartTried) record(Json.of("tried", "start"));
  }

  void started(String chatSessionId) throws CarillonException {
    record(Json.of("started", chatSessionId));
  }

  void received(long position) throws CarillonException {
    if (position > this.position) record(Json.of("position", position));
  }

  void device(PushDevice device) throws CarillonException {
    record(Json.of("device", device.fields()));
  }

  void deviceTold() throws CarillonException {
    record(Json.of("told", "device"));
  }

  void add(String id, String operation, String text) throws CarillonException {
    record(Json.of("add", id, "as", operation, "text", text));
  }

  void tried(Entry entry, long after) throws CarillonException {
    record(Json.of("try", entry.id, "after", after));
  }

  void undone(Entry entry) throws CarillonException {
    record(Json.of("undone", entry.id));
  }

  void sent(Entry entry, long position) throws CarillonException {
    record(Json.of("sent", entry.id, "position", position));
  }

  void dropped(Entry entry) throws CarillonException {
    record(Json.of("dropped", entry.id));
  }

  /** The chat was never begun: what waits to be sent waits for the next one. */
  void forget() throws CarillonException {
    record(Json.of("chat", ""));
  }

  /** The chat is over. The next life of the app begins anew; in this one it can still be read. */
  void close() throws CarillonException {
    try {
      if (store != null) store.append(Json.write(Json.of("chat", "")));
    } catch (IOException | RuntimeException failure) {
      throw failed(failure);
    }
  }

  private void record(Map<String, Object> change) throws CarillonException {
    try {
      if (store != null) {
        store.append(Json.write(change));
        lineCount++;
      }
      take(change);
      if (store != null && lineCount > SPARE_LINES_MAXIMUM + 4 * entries.size() + sent.size()) rewrite();
    } catch (IOException | RuntimeException failure) {
      throw failed(failure);
    }
  }

  private void rewrite() throws IOException {
    List<String> lines = new ArrayList<>();
    // Before the chat: those of earlier chats say nothing of how far this one has come.
    for (Map.Entry<String, Long> message : sent.entrySet()) {
      lines.add(Json.write(Json.of("sent", message.getKey(), "position", message.getValue())));
    }
    if (serviceId != null) {
      lines.add(Json.write(Json.of("chat", serviceId)));
      if (isStartTried) lines.add(Json.write(Json.of("tried", "start")));
      if (chatSessionId != null) lines.add(Json.write(Json.of("started", chatSessionId)));
      lines.add(Json.write(Json.of("position", position)));
      lines.add(Json.write(Json.of("reached", sentPosition)));
    }
    if (untoldDevice != null) lines.add(Json.write(Json.of("device", untoldDevice.fields())));
    for (Entry entry : entries.values()) {
      lines.add(Json.write(Json.of("add", entry.id, "as", entry.operation, "text", entry.text)));
      if (entry.triedAfter >= 0) lines.add(Json.write(Json.of("try", entry.id, "after", entry.triedAfter)));
    }
    store.replace(lines);
    lineCount = lines.size();
  }

  private void take(Object change) {
    for (String name : Json.object(change).keySet()) {
      String id = Json.string(change, name, "");
      Entry entry = entries.get(id);
      switch (name) {
        case "chat":
          serviceId = id.isEmpty() ? null : id;
          isStartTried = false;
          chatSessionId = null;
          position = 0;
          sentPosition = 0;
          for (Entry waiting : entries.values()) waiting.triedAfter = -1;
          return;
        case "reached":
          sentPosition = Json.integer(change, "reached", 0);
          return;
        case "tried":
          isStartTried = true;
          return;
        case "started":
          chatSessionId = id;
          return;
        case "position":
          position = Json.integer(change, "position", 0);
          return;
        case "device":
          untoldDevice = PushDevice.of(Json.member(change, "device"));
          return;
        case "told":
          untoldDevice = null;
          return;
        case "add":
          entries.put(id, new Entry(id, Json.string(change, "as", "send"), Json.string(change, "text", "")));
          return;
        case "try":
          if (entry == null) return;
          entry.triedAfter = Json.integer(change, "after", 0);
          entry.triedAt = System.nanoTime();
          return;
        case "undone":
          if (entry != null) entry.triedAfter = -1;
          return;
        case "sent":
          entries.remove(id);
          sentPosition = Math.max(sentPosition, Json.integer(change, "position", 0));
          sent.put(id, Json.integer(change, "position", 0));
          return;
        case "dropped":
          entries.remove(id);
          return;
        default:
          // Of a later version, perhaps.
      }
    }
  }

  private static CarillonException failed(Exception failure) {
    return new CarillonException(CarillonException.Kind.STORE_FAILED, String.valueOf(failure.getMessage()), failure);
  }
}
