package io.carillon.client;

/** What became of an operation: a value, or why there is none. */
public final class Outcome<T> {
  private final T value;
  private final CarillonException error;

  private Outcome(T value, CarillonException error) {
    this.value = value;
    this.error = error;
  }

  static <T> Outcome<T> of(T value) {
    return new Outcome<>(value, null);
  }

  static <T> Outcome<T> failed(CarillonException error) {
    return new Outcome<>(null, error);
  }

  public boolean isSuccess() {
    return error == null;
  }

  /** Null after a failure, and where the operation has no value. */
  public T value() {
    return value;
  }

  /** Null after a success. */
  public CarillonException error() {
    return error;
  }

  @Override
  public String toString() {
    return error == null ? String.valueOf(value) : error.toString();
  }
}
