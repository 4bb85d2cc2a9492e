package io.carillon.client;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The threads of all clients: daemons, which end when they are not needed for a minute. */
final class Workers {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final ThreadFactory THREADS = work -> {
    Thread thread = new Thread(work, "carillon-" + COUNT.incrementAndGet());
    thread.setDaemon(true);
    // Without one, what escapes a thread ends an app on Android.
    thread.setUncaughtExceptionHandler((where, failure) -> { });
    return thread;
  };

  /** For what waits for the network. */
  private static final ExecutorService POOL = Executors.newCachedThreadPool(THREADS);
  /** For deadlines; nothing in it may wait. */
  static final ScheduledExecutorService CLOCK = clock();

  private Workers() {}

  /** On a thread of its own. */
  static void run(Runnable work) {
    POOL.execute(work);
  }

  private static ScheduledExecutorService clock() {
    ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, THREADS);
    // Nearly every deadline is called off: without this each would stay until its time.
    clock.setRemoveOnCancelPolicy(true);
    return clock;
  }

  /** Runs what it is given in order, one after the other. */
  static Executor inOrder() {
    return inOrder(null, failure -> { });
  }

  /** Runs what it is given in order, one after the other, on {@code executor}, and lets no exception through. */
  static Executor inOrder(Executor executor, Consumer<Throwable> failureHandler) {
    return new InOrder(executor == null ? POOL : executor, failureHandler);
  }

  private static final class InOrder implements Executor {
    private final Executor executor;
    private final Consumer<Throwable> failureHandler;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean isRunning;

    InOrder(Executor executor, Consumer<Throwable> failureHandler) {
      this.executor = executor;
      this.failureHandler = failureHandler;
    }

    @Override
    public void execute(Runnable work) {
      synchronized (waiting) {
        waiting.add(work);
        if (isRunning) return;
        isRunning = true;
      }
      next();
    }

    /** An executor that takes nothing any more, as that of an app that ends, loses what waits. */
    private void next() {
      try {
        executor.execute(this::runOne);
      } catch (RuntimeException refusal) {
        synchronized (waiting) {
          waiting.clear();
          isRunning = false;
        }
        tell(refusal);
      }
    }

    private void runOne() {
      Runnable work;
      synchronized (waiting) {
        work = waiting.poll();
      }
      try {
        work.run();
      } catch (Throwable failure) {
        tell(failure);
      }
      synchronized (waiting) {
        isRunning = !waiting.isEmpty();
        if (!isRunning) return;
      }
      next();
    }

    private void tell(Throwable failure) {
      try {
        failureHandler.accept(failure);
      } catch (Throwable ignored) {
        // Whoever is told of failures fails: there is nobody left to tell.
      }
    }
  }
}
