/** A stream that is followed for as long as it is wanted, over every break. */

import { signedOut } from './api.js';
import { backOff, follow } from './sse.js';
import { setServerDate } from './time.js';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * @param {{signal: AbortSignal, after?: string|null, silence?: number, told: (isOpen: boolean, wait: number) => void, event: (event: {name: string, data: any}) => void, pause?: (milliseconds: number) => Promise<void>}} options
 *   `told` hears whenever it begins or breaks, and then how many milliseconds `pause` is to wait; `silence` as for `follow`.
 */
export async function tail(address, { signal, after = null, silence, told, event, pause = sleep }) {
  for (let tries = 0; !signal.aborted; ) {
    await follow(address, {
      after,
      signal,
      silence,
      opened({ ok, status, headers }) {
        setServerDate(headers.get('Date'));
        if (status === 401) signedOut.tell(null);
        if (!ok) return;
        tries = 0;
        told(true, 0);
      },
      event({ id, name, data }) {
        after = id ?? after;
        event({ name, data: JSON.parse(data) });
      },
    }).catch(() => {});
    if (signal.aborted) return;
    const wait = backOff(tries++);
    told(false, wait);
    await pause(wait);
  }
}
