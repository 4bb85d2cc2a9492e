package io.carillon.client;

/** How long to wait before the next attempt: one step more after each failure, up to a maximum. */
public final class BackOff {
  private static final int STEPS_MAXIMUM = 100_000;

  private final long stepMilliseconds;
  private final long maximumMilliseconds;

  /** What stock CometD clients do is 1 s, 2 s, 3 s … 60 s. */
  public BackOff(long stepMilliseconds, long maximumMilliseconds) {
    this.stepMilliseconds = Math.max(stepMilliseconds, 1);
    this.maximumMilliseconds = Math.max(maximumMilliseconds, 1);
  }

  /** @param failures how many attempts have failed in a row; zero waits not at all. */
  public long delayMilliseconds(int failures) {
    return Math.min(stepMilliseconds * Math.min(Math.max(failures, 0), STEPS_MAXIMUM), maximumMilliseconds);
  }
}
