package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Callbacks for apps: order one, and do what its dialogs say. Spec: GMS 9.
 *
 * <pre>{@code
 * CarillonCallbacks callbacks = new CarillonCallbacks(configuration);
 * callbacks.order("callback-voice", "+49301234", device, Collections.emptyMap()).whenDone(outcome -> …);
 * // a push has come:
 * callbacks.dialog(push).whenDone(outcome -> show(outcome.value().items()));
 * callbacks.act(push.id(), item.action());
 * }</pre>
 *
 * <p>An order whose answer was lost ({@link CarillonException#isUncertain()}) may have been taken: {@link #find} tells.
 */
public final class CarillonCallbacks {
  private static final String ROOT = "/genesys/1/service/";

  private final Caller caller;

  public CarillonCallbacks(CarillonConfiguration configuration) {
    caller = new Caller(configuration, configuration::headers);
  }

  /**
   * Orders a callback.
   *
   * @param device where its pushes go; null for none.
   * @param fields options such as {@code _desired_time}, and attached data.
   */
  public Pending<CallbackDialog> order(
      String service, String customerNumber, PushDevice device, Map<String, String> fields) {
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("_customer_number", customerNumber);
    if (device != null) {
      order.put("_device_os", device.type);
      order.put("_device_notification_id", device.deviceId);
      if (!device.language.isEmpty()) order.put("_language", device.language);
    }
    order.putAll(fields);
    return caller.ask(http -> new CallbackDialog(caller.json(http, "POST", path(service), order)));
  }

  /** Times at which callbacks can be had, with their free places, the earliest first. */
  public Pending<Map<String, Long>> availability(String service, int days, int slotsMaximum) {
    return caller.ask(http -> {
      Object answer = caller.json(
          http, "GET", path(service) + "/availability?number-of-days=" + days + "&max-time-slots=" + slotsMaximum,
          null);
      Map<String, Long> slots = new LinkedHashMap<>();
      for (String time : Json.object(answer).keySet()) slots.put(time, Json.integer(answer, time, 0));
      return slots;
    });
  }

  /** @param query such as {@code _customer_number} with its value; all must hold. */
  public Pending<List<CallbackRecord>> find(String service, Map<String, String> query) {
    return caller.ask(http -> {
      List<CallbackRecord> records = new ArrayList<>();
      Object found = caller.json(http, "GET", path(service) + "?" + Http.formEncoded(query), null);
      for (Object record : Json.array(found)) records.add(new CallbackRecord(record));
      return records;
    });
  }

  public Pending<CallbackRecord> show(String service, String id) {
    return caller.ask(http -> new CallbackRecord(caller.json(http, "GET", path(service, id), null)));
  }

  /** @param time as {@link #availability} names it. */
  public Pending<CallbackRecord> reschedule(String service, String id, String time) {
    return change(service, id, Collections.singletonMap("_new_desired_time", time));
  }

  /** Merges into its data; an empty value removes its name. */
  public Pending<CallbackRecord> change(String service, String id, Map<String, String> fields) {
    return caller.ask(http -> new CallbackRecord(caller.json(http, "PUT", path(service, id), fields)));
  }

  public Pending<Void> cancel(String service, String id) {
    return caller.ask(http -> {
      caller.json(http, "DELETE", path(service, id), null);
      return null;
    });
  }

  /** The dialog that a push asks for. */
  public Pending<CallbackDialog> dialog(PushContent push) {
    return act(push.id(), push.action());
  }

  /** @param action of an item of a dialog or of a push, such as {@code connect} or {@code snooze}. */
  public Pending<CallbackDialog> act(String id, String action) {
    return caller.ask(http -> new CallbackDialog(caller.json(
        http, "POST", ROOT + Http.encoded(id) + "/" + Http.encoded(action), Json.of())));
  }

  private static String path(String service) {
    return ROOT + "callback/" + Http.encoded(service);
  }

  private static String path(String service, String id) {
    return path(service) + "/" + Http.encoded(id);
  }
}
