/** Devices: who has which, ending one, trying one. */

import { asking, attempt, badge, button, detail, dialog, empty, facts, field, get, go, h, head, list, pages, post, replace, seg, select, t, table, term, to, toast, when } from '../ui/kit.js';

const types = ['', 'ios', 'android', 'gcm', 'fcm', 'httpcb', 'customhttp', 'airship', 'webpush'];

export function screen(parts) {
  const owner = h('input', { name: 'owner', maxlength: 256 });
  const token = h('input', { name: 'token', maxlength: 128 });
  const type = select(types.map((id) => [id, id || t('all')]), { name: 'type' });
  const state = select([['', t('all')], ['live', term('state', 'live')], ['ended', term('state', 'ended')]], { name: 'state', value: 'live' });
  const shown = h('div');
  // The API finds by owner, type and state; by the hash of a token or the id this page does, in what it has read.
  const fits = (one) => !token.value.trim() || [one.id, one.token].some((text) => text?.toLowerCase().includes(token.value.trim().toLowerCase()));
  const load = async (after) => {
    const page = await list('/admin/1/devices', { owner: owner.value.trim(), type: type.value, state: state.value, limit: 500, after });
    return { ...page, data: page.data.filter(fits) };
  };
  const all = pages(load, (items) => table(t('screen.devices'), ['type', 'token', 'owner', 'state', 'registered'].map((key) => t(key)).concat(''), items.map((one) => [one.type, h('code', one.token), h('code', one.owner ?? '–'), mark(one), when(one.registeredAt), h('a.button', { href: to('devices', one.id) }, t('show'))])), empty(t('devices.none')));
  const form = asking(() => all.reload(), field(t('owner'), owner), field(t('devices.token'), token), field(t('type'), type), field(t('state'), state));

  async function update([id]) {
    if (!id) return replace(shown);
    const one = await attempt(() => get(`/admin/1/devices/${seg(id)}`));
    if (one) replace(shown, detailOf(one, () => (all.reload(), update([id]))));
  }

  all.reload();
  update(parts);
  return { node: h('div.page', head(t('screen.devices')), form, shown, all.node), update };
}

const mark = (one) => badge(term('state', one.state), one.state === 'live' ? 'ok' : '');

const detailOf = (one, changed) =>
  detail(t('device'), `${one.type} ${one.token}`, () => go('devices'),
    h('div.actions', h('a.button', { href: to('why', one.id) }, t('story')), h('a.button', { href: to('dead-letters', 'waiting', one.id) }, t('queues')), button(t('testPush'), () => testPush(one)), one.state === 'live' ? button(t('device.end'), () => end(one, changed), { kind: 'danger' }) : null),
    facts([[t('state'), mark(one)], [t('owner'), one.owner], [t('app'), one.app], [t('provider'), one.provider], [t('platform'), one.platform], [t('language'), one.locale], [t('debug'), one.debug ? t('yes') : null], [t('firstRegistered'), when(one.firstRegisteredAt)], [t('registered'), when(one.registeredAt)], [t('endedAt'), one.endedAt && when(one.endedAt)], [t('reason'), one.endReason], [t('id'), h('code', one.id)]]));

async function end(one, changed) {
  const reason = h('input', { name: 'reason', maxlength: 200, required: true });
  if (await dialog(t('device.end'), () => field(t('reason'), reason), { ok: t('device.end'), danger: true, submit: () => post(`/admin/1/devices/${seg(one.id)}/end`, { reason: reason.value.trim() }) })) changed();
}

function testPush(one) {
  const title = h('input', { value: 'Carillon', maxlength: 200 });
  const body = h('input', { value: t('testPush'), maxlength: 1000 });
  return dialog(t('testPush'), () => [field(t('title'), title), field(t('body'), body)], {
    ok: t('send'),
    async submit() {
      const end = await post(`/admin/1/devices/${seg(one.id)}/pushes`, { title: title.value, body: body.value });
      toast(`${term('outcome', end.outcome)}${end.reason ? `: ${end.reason}` : ''}`, end.outcome === 'delivered' || end.outcome === 'waiting' ? 'info' : 'error');
    },
  });
}
