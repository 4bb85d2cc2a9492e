/** What somebody sets for this browser, and their sessions. */

import { attempt, badge, button, choose, endSession, field, h, head, language, listing, may, names, read, select, session, sessions, showKeys, t, toast, toggle, when, worker, write } from '../ui/kit.js';
import { cannedSettings } from '../agent/cannedSettings.js';
import { canNotify, setNotifications, setSound, wantsNotifications, wantsSound } from '../core/notify.js';

export function screen() {
  const list = sessionList();
  const node = h('div.page', head(t('screen.settings'), button(t('keys'), showKeys)),
    h('div.columns', looks(), may('agent') ? away() : null), cannedSettings(), h('section', h('h2', t('sessions')), h('p.hint', t('sessions.help')), list.node));
  list.reload();
  return { node };
}

function looks() {
  const theme = select([['', t('theme.system')], ['light', t('theme.light')], ['dark', t('theme.dark')]], {
    value: read('theme') ?? '',
    onchange() {
      write('theme', theme.value);
      if (theme.value) document.documentElement.dataset.theme = theme.value;
      else delete document.documentElement.dataset.theme;
    },
  });
  const words = select(Object.entries(names), { value: language, onchange: () => choose(words.value) });
  return h('section.card', h('h2', t('looks')), field(t('theme'), theme), field(t('language'), words));
}

function away() {
  const name = h('input', { value: read('nickname') ?? session.name, maxlength: 100, onchange: () => write('nickname', name.value.trim()) });
  const notify = toggle(t('notifications'), wantsNotifications(), async ({ target }) => {
    target.checked = (await attempt(() => setNotifications(target.checked))) ?? false;
    if (!target.checked && Notification.permission === 'denied') toast(t('notifications.denied'), 'error');
  });
  if (!canNotify) notify.querySelector('input').disabled = true;
  return h('section.card', h('h2', t('desk.settings')), field(t('nickname'), name, t('nickname.help')), notify,
    canNotify ? null : h('small', t('notifications.insecure')), toggle(t('sound'), wantsSound(), ({ target }) => setSound(target.checked)));
}

function sessionList() {
  const list = listing(sessions, () => ({}), 'sessions', ['name', 'startedAt', 'lastUsed', 'addresses', 'browser', ''], row, 'sessions.none');
  function row(one) {
    const end = one.current ? badge(t('sessions.this'), 'info') : worker(t('sessions.end'), async () => {
      await endSession(one.id);
      await list.reload();
    });
    const address = [one.addresses.join(', '), one.addresses.length > 1 ? [' ', badge(t('sessions.several'), 'warn')] : null];
    return [one.name, when(one.openedAt), when(one.seenAt), address, h('span.clip', one.userAgent ?? '–'), end];
  }
  return list;
}
