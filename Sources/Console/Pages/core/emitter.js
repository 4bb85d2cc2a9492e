/** Who wants to know is told: `on` gives the way to stop listening. */
export class Emitter {
  #listeners = new Set();

  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(value) {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
