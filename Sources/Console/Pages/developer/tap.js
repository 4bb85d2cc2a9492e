/** The live tap: each step of each message, as it happens. */

import { h } from '../core/dom.js';
import { language, t, term } from '../core/i18n.js';
import { backOff, follow } from '../core/sse.js';
import { signedOut, withQuery } from '../core/api.js';
import { badge, button, empty, field, head } from '../ui/parts.js';

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
  const restart = (event) => {
    event.preventDefault();
    start();
  };
  const form = h('form.form-row', { onsubmit: restart }, field(t('sender'), sender), field(t('messageId'), message), field(t('app'), app), h('button.button.primary', { type: 'submit' }, t('filter')));

  async function start() {
    ending?.abort();
    ending = new AbortController();
    const { signal } = ending;
    const address = withQuery('/admin/1/messages/stream', { sender: sender.value.trim(), message: message.value.trim(), app: app.value.trim() });
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        await follow(address, { signal, opened(response) {
          if (response.status === 401) signedOut.tell(null);
          state.textContent = t(response.ok ? 'tap.follows' : 'notLoaded');
          if (response.ok) tries = 0;
        }, event: ({ data }) => came(JSON.parse(data)) });
      } catch {
        if (signal.aborted) return;
      }
      state.textContent = t('lost');
      await new Promise((resolve) => setTimeout(resolve, backOff(tries)));
    }
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
  return { node: h('div.page', {}, head(t('screen.tap'), state, pause, button(t('clear'), () => (rows.replaceChildren(), (nothing.hidden = false)))), form, box), dispose: () => ending?.abort() };
}

function line(step) {
  const kind = kinds[step.kind];
  return h(`li${kind === 'bad' ? '.is-bad' : kind === 'ok' ? '.is-good' : ''}`, {}, h('time', { datetime: step.at }, new Date(step.at).toLocaleTimeString(language)), h('span.rail', { 'aria-hidden': 'true' }),
    h('div.told', {}, badge(term('step', step.kind), kind), ' ', [step.app, step.target, step.collapseKey, step.reason].filter(Boolean).join(' · '), h('br'), h('small', {}, [step.sender, step.messageId].filter(Boolean).join(' · '))));
}
