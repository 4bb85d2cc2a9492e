package io.carillon.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Callbacks and support requests. */
final class RestTests {
  private static final Map<String, String> NOTHING = Collections.emptyMap();

  private RestTests() {}

  static void add(Map<String, ClientTests.Test> tests, Server server) {
    tests.put("a callback is ordered, found, moved and cancelled", () -> callbacks(server));
    tests.put("a support request is answered, and its stream tells", () -> support(server));
  }

  private static void callbacks(Server server) throws Exception {
    CarillonCallbacks callbacks = new CarillonCallbacks(ChatTests.configuration(server.url()));
    String service = "callback-voice";
    Map<String, Long> slots = Check.value("slots", callbacks.availability(service, 2, 4));
    List<String> times = new ArrayList<>(slots.keySet());
    Check.equal("slots", 4, times.size());
    CallbackDialog dialog = Check.value("order", callbacks.order(
        service, "+49301234", PushDevice.fcm("token"), Collections.singletonMap("_desired_time", times.get(3))));
    Check.equal("dialog", CallbackDialog.Action.CONFIRMATION, dialog.action());
    Check.that("it says something", !dialog.text().isEmpty());
    CallbackRecord record = Check.value("show", callbacks.show(service, dialog.id()));
    Check.equal("state", "SCHEDULED", record.state());
    Check.value("move", callbacks.reschedule(service, dialog.id(), times.get(1)));
    List<CallbackRecord> found = Check.value(
        "find", callbacks.find(service, Collections.singletonMap("_id", dialog.id())));
    Check.equal("found", 1, found.size());
    Check.equal("moved", times.get(1).substring(0, 16), found.get(0).desiredTime().substring(0, 16));
    CallbackDialog question = Check.value("question", callbacks.act(dialog.id(), "get-dialog-user-confirmation"));
    Check.equal("menu", CallbackDialog.Action.DISPLAY_MENU, question.action());
    Check.equal("items", 3, question.items().size());
    Check.equal("first item", "connect", question.items().get(0).action());
    Check.value("cancel", callbacks.cancel(service, dialog.id()));
    Check.equal("stale", 404, Check.error("connect", callbacks.act(dialog.id(), "connect")).status());
    Check.equal("cancelled", "COMPLETED", Check.value("show", callbacks.show(service, dialog.id())).state());
    Check.equal("unknown", 404, Check.error("order", callbacks.order("nobody", "+49", null, NOTHING)).status());
  }

  private static void support(Server server) throws Exception {
    CarillonSupport support = new CarillonSupport(ChatTests.configuration(server.url()), "demo", null);
    Check.equal(
        "nobody", CarillonException.Kind.INVALID_STATE,
        Check.error("stream", support.stream((request, comment) -> { })).kind());
    Check.equal("nobody", 401, Check.error("requests", support.requests()).status());
    Check.value("sign in", support.signIn(UUID.randomUUID().toString(), "Ann", null));
    Check.value("device", support.registerDevice("fcm-token", "en"));
    SupportTicket ticket = Check.value("create", support.create("Order 81", "It has not come."));
    List<Long> told = Collections.synchronizedList(new ArrayList<>());
    boolean[] connected = new boolean[1];
    CarillonSupport.Stream stream = Check.value("stream", support.stream(new CarillonSupport.StreamListener() {
      @Override
      public void onComment(long request, long comment) {
        if (request == ticket.id()) told.add(comment);
      }

      @Override
      public void onConnected(boolean isConnected) {
        synchronized (connected) {
          connected[0] = isConnected;
        }
      }
    }));
    Check.until("linked", () -> {
      synchronized (connected) {
        return connected[0];
      }
    });
    Agent agent = new Agent(server);
    agent.ask("PUT", "/api/v2/tickets/" + ticket.id() + ".json",
        Json.of("ticket", Json.of("comment", Json.of("body", "It left today."))));
    Check.until("told", () -> !told.isEmpty());
    Check.value("shown", stream.acknowledge(ticket.id(), told.get(0), "fcm-token"));
    Check.value("thanks", support.comment(ticket.id(), "Thank you"));
    List<SupportComment> comments = Check.value("comments", support.comments(ticket.id(), null));
    List<String> texts = new ArrayList<>();
    for (SupportComment comment : comments) texts.add(comment.text());
    Check.equal("comments", Arrays.asList("It has not come.", "It left today.", "Thank you"), texts);
    Check.equal("its comment", comments.get(1).id(), (long) told.get(0));
    Check.equal("one request", 1, Check.value("requests", support.requests()).size());
    Check.value("device", support.unregisterDevice("fcm-token"));
    stream.close();
  }
}
