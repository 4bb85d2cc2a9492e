/** The live tap: each step of each message, as it happens. */

import { asking, badge, button, empty, field, h, head, language, t, term, withQuery } from '../ui/kit.js';
import { tail } from '../core/tail.js';

/** Steps that are shown; older ones go. */
const kept = 500;
const kinds = { acknowledged: 'ok', sent: 'info', accepted: '', stored: '', refused: 'bad', expired: 'bad', dropped: 'bad', evicted: 'bad', discarded: 'warn', unregistered: 'warn', collapsed: 'warn' };

export function screen() {
  const [sender, message, app] = ['sender', 'message', 'app'].map((name) => h('input', { name, maxlength: 256 }));
  const state = h('span.hint', { role: 'status' });
  const rows = h('ol.story', { 'aria-label': t('screen.tap') });
  const nothing = empty(t('tap.none'), t('tap.none.detail'));
  const box = h('div.tap', { tabindex: '0', role: 'log', 'aria-label': t('screen.tap') }, nothing, rows);
  const pause = button(t('pause'), () => setPaused(!isPaused), { 'aria-pressed': 'false' });
  let isPaused = false;
  let held = [];
  let ending = null;
  const form = asking(start, field(t('sender'), sender), field(t('messageId'), message), field(t('app'), app));

  function start() {
    ending?.abort();
    ending = new AbortController();
    const address = withQuery('/admin/1/messages/stream', { sender: sender.value.trim(), message: message.value.trim(), app: app.value.trim() });
    tail(address, { signal: ending.signal, told: (isOpen) => (state.textContent = t(isOpen ? 'tap.follows' : 'lost')), event: ({ data }) => came(data) });
  }

  function came(step) {
    if (isPaused) {
      held = [...held, step].slice(-kept);
      pause.textContent = t('goOn', { n: held.length });
    } else show(step);
  }

  function setPaused(paused) {
    isPaused = paused;
    pause.setAttribute('aria-pressed', String(paused));
    pause.textContent = t(paused ? 'goOn' : 'pause', { n: 0 });
    if (paused) return;
    for (const step of held) show(step);
    held = [];
  }

  function show(step) {
    nothing.hidden = true;
    rows.prepend(line(step));
    while (rows.childElementCount > kept) rows.lastElementChild.remove();
  }

  start();
  return { node: h('div.page', head(t('screen.tap'), state, pause, button(t('clear'), () => (rows.replaceChildren(), (nothing.hidden = false)))), form, box), dispose: () => ending?.abort() };
}

function line(step) {
  const kind = kinds[step.kind];
  return h(`li${kind === 'bad' ? '.is-bad' : kind === 'ok' ? '.is-good' : ''}`, h('time', { datetime: step.at }, new Date(step.at).toLocaleTimeString(language)), h('span.rail', { 'aria-hidden': 'true' }),
    h('div.told', badge(term('outcome', step.kind), kind), ' ', [step.app, step.target, step.collapseKey, step.reason].filter(Boolean).join(' · '), h('br'), h('small', [step.sender, step.messageId].filter(Boolean).join(' · '))));
}
