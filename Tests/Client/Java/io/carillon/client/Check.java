package io.carillon.client;

import java.util.Objects;

/** What a test expects. */
final class Check {
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Only who hangs needs as long as this. */
  static final long SECONDS = 120;

  private Check() {}

  static void equal(String what, Object expected, Object found) {
    if (!Objects.equals(expected, found)) {
      throw new AssertionError(what + ": expected " + expected + ", found " + found);
    }
  }

  static void that(String what, boolean holds) {
    if (!holds) throw new AssertionError(what);
  }

  static <T> T value(String what, Pending<T> pending) {
    Outcome<T> outcome = pending.await(SECONDS * 1_000);
    if (!outcome.isSuccess()) throw new AssertionError(what + ": " + outcome.error(), outcome.error());
    return outcome.value();
  }

  static CarillonException error(String what, Pending<?> pending) {
    Outcome<?> outcome = pending.await(SECONDS * 1_000);
    if (outcome.isSuccess()) throw new AssertionError(what + ": it has succeeded");
    return outcome.error();
  }

  static void until(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    while (!condition.holds()) {
      if (System.nanoTime() > end) throw new AssertionError(what + ": not within " + SECONDS + " s");
      Thread.sleep(20);
    }
  }
}
