/** One figure with its name. */

import { h } from '../core/dom.js';

/** @param {'ok'|'warn'|'bad'|''} [kind] */
export const tile = (name, value, detail, kind = '') =>
  h(`div.tile${kind && `.${kind}`}`, {}, h('span.tile-name', name), h('strong', value), detail ? h('small', detail) : null);
