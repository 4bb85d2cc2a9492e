/** What somebody sets for this browser, and their sessions. */

import { h } from '../core/dom.js';
import { choose, language, names, t } from '../core/i18n.js';
import { attempt, toast } from '../core/live.js';
import { showKeys } from '../core/keys.js';
import { canNotify, setNotifications, setSound, wantsNotifications, wantsSound } from '../core/notify.js';
import { endSession, session, sessions, may } from '../core/session.js';
import { read, write } from '../core/storage.js';
import { ifThere } from '../core/api.js';
import { badge, button, empty, field, head, pages, select, table, toggle, when, worker } from '../ui/parts.js';
import { cannedSettings } from '../agent/cannedSettings.js';

export function screen() {
  const list = sessionList();
  const node = h('div.page', {}, head(t('screen.settings'), button(t('keys'), showKeys)),
    h('div.columns', {}, looks(), may('agent') ? away() : null), cannedSettings(), h('section', {}, h('h2', {}, t('sessions')), h('p.hint', {}, t('sessions.help')), list.node));
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
  return h('section.card', {}, h('h2', {}, t('looks')), field(t('theme'), theme), field(t('language'), words));
}

function away() {
  const name = h('input', { value: read('nickname') ?? session.name, maxlength: 100, onchange: () => write('nickname', name.value.trim()) });
  const notify = toggle(t('notifications'), wantsNotifications(), async ({ target }) => {
    target.checked = (await attempt(() => setNotifications(target.checked))) ?? false;
    if (!target.checked && Notification.permission === 'denied') toast(t('notifications.denied'), 'error');
  });
  if (!canNotify) notify.querySelector('input').disabled = true;
  return h('section.card', {}, h('h2', {}, t('desk.settings')), field(t('nickname'), name, t('nickname.help')), notify,
    canNotify ? null : h('small', {}, t('notifications.insecure')), toggle(t('sound'), wantsSound(), ({ target }) => setSound(target.checked)));
}

function sessionList() {
  const list = pages(() => ifThere(sessions()), (items) => table(t('sessions'), [t('name'), t('startedAt'), t('lastUsed'), t('addresses'), t('browser'), ''], items.map(row)), empty(t('sessions.none')));
  function row(one) {
    const end = one.current ? badge(t('sessions.this'), 'info') : worker(t('sessions.end'), async () => {
      await endSession(one.id);
      await list.reload();
    });
    const addresses = one.addresses ?? [one.address].filter(Boolean);
    const address = addresses.length > 1 ? [addresses.join(', '), ' ', badge(t('sessions.several'), 'warn')] : addresses.join(', ');
    return [one.name, when(one.startedAt ?? one.createdAt), when(one.lastUsedAt ?? one.lastSeenAt), address, h('span.clip', {}, one.userAgent ?? '–'), end];
  }
  return list;
}
