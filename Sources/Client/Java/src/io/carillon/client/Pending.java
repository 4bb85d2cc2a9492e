package io.carillon.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An operation that goes on elsewhere. It ends once, with a value or an error, and throws neither. */
public final class Pending<T> {
  private final Executor listenerExecutor;
  private final CountDownLatch done = new CountDownLatch(1);
  private List<Consumer<Outcome<T>>> listeners = new ArrayList<>();
  private volatile Outcome<T> outcome;

  /** @param listenerExecutor must let no exception of a listener through. */
  Pending(Executor listenerExecutor) {
    this.listenerExecutor = listenerExecutor;
  }

  /** Has {@code listener} told of the outcome, on the configuration's callback executor, once there is one. */
  public Pending<T> whenDone(Consumer<Outcome<T>> listener) {
    synchronized (this) {
      if (listeners != null) {
        listeners.add(listener);
        return this;
      }
    }
    listenerExecutor.execute(() -> listener.accept(outcome));
    return this;
  }

  public boolean isDone() {
    return outcome != null;
  }

  /** The outcome; null as long as there is none. */
  public Outcome<T> outcome() {
    return outcome;
  }

  /**
   * Waits for the outcome; not for the main thread of an app.
   *
   * @return the outcome, or {@code TIMED_OUT} while the operation goes on; {@code STOPPED} if the thread was
   *     interrupted, which it stays.
   */
  public Outcome<T> await(long milliseconds) {
    try {
      if (done.await(milliseconds, TimeUnit.MILLISECONDS)) return outcome;
      return Outcome.failed(new CarillonException(CarillonException.Kind.TIMED_OUT, "it is still under way"));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Outcome.failed(new CarillonException(CarillonException.Kind.STOPPED, "the thread was interrupted"));
    }
  }

  /** The first outcome counts. */
  void complete(Outcome<T> result) {
    List<Consumer<Outcome<T>>> waiting;
    synchronized (this) {
      if (listeners == null) return;
      outcome = result;
      waiting = listeners;
      listeners = null;
    }
    done.countDown();
    for (Consumer<Outcome<T>> listener : waiting) listenerExecutor.execute(() -> listener.accept(result));
  }
}
