/** Readings of what the server shows, of which an older answer never takes the place of a newer one. Pure. */

/**
 * `work` as a reading: one at a time, and whoever asks while one is under way gets one more behind it, however many ask.
 * `heard` says that something has happened that an answer under way may not have: then it is read once more.
 * @param {() => Promise<void>} work
 * @returns {(() => Promise<void>) & {heard: () => void}}
 */
export function reading(work) {
  let running = null;
  let again = false;
  async function run() {
    try {
      do {
        again = false;
        await Promise.resolve().then(work);
      } while (again);
    } finally {
      running = null;
    }
  }
  function read() {
    if (running) again = true;
    else running = run();
    return running;
  }
  read.heard = () => (again ||= running !== null);
  return read;
}
