/** The server did not answer at all when the page began: it is asked again until it does. */

import { button, h, t } from '../ui/kit.js';
import { backOff } from '../core/sse.js';
import { brand } from './brand.js';

let tries = 0;

/** @param {() => Promise<void>} again */
export function unreachable(again) {
  const timer = setTimeout(again, backOff(tries++));
  const now = () => {
    clearTimeout(timer);
    again();
  };
  return {
    node: h('main.sign-in', brand(), h('div.card', h('h1', t('lost')), h('p', t('error.offline')), button(t('tryAgain'), now, { kind: 'primary' }))),
    dispose: () => clearTimeout(timer),
  };
}
