/** Tokens: who has which, making one, taking one back. */

import { ifThere, list, post, seg } from '../core/api.js';
import { h } from '../core/dom.js';
import { t, term } from '../core/i18n.js';
import { attempt, confirm, dialog } from '../core/live.js';
import { badge, button, empty, field, head, pages, select, table, when } from '../ui/parts.js';

const roles = ['agent', 'supervisor', 'bot', 'admin', 'sender', 'publisher'];

export function screen() {
  const all = pages(async (after) => {
    const page = await ifThere(list('/admin/1/tokens', { limit: 200, after }));
    return page && { ...page, data: page.data.tokens ?? page.data };
  }, (items) => table(t('screen.tokens'), [t('name'), t('role'), t('services'), t('createdAt'), t('state'), ''], items.map(row)), empty(t('tokens.none')));

  const row = (one) => [one.name ?? one.holder, badge(term('role', one.role)), one.services?.join(', ') || t('all'), when(one.createdAt), one.revokedAt || one.revoked ? badge(t('revoked')) : badge(t('valid'), 'ok'),
    one.revokedAt || one.revoked ? '' : button(t('revoke'), () => confirm(t('revoke'), t('revoke.question', { name: one.name ?? one.holder }), t('revoke'), async () => {
      await post(`/admin/1/tokens/${seg(one.id)}/revoke`);
      await all.reload();
    }), { kind: 'danger' })];

  async function make() {
    const name = h('input', { required: true, maxlength: 100 });
    const role = select(roles.map((id) => [id, term('role', id)]));
    const services = h('input', { maxlength: 1000 });
    let made = null;
    const done = await dialog(t('tokens.make'), () => [field(t('name'), name), field(t('role'), role), field(t('services'), services, t('tags.help'))], {
      ok: t('tokens.make'),
      async submit() {
        const names = services.value.split(',').map((one) => one.trim()).filter(Boolean);
        made = await post('/admin/1/tokens', { name: name.value.trim(), role: role.value, ...(names.length ? { services: names } : {}) });
      },
    });
    if (!done) return;
    await dialog(t('tokens.made'), () => [h('p', {}, t('tokens.once')), h('pre', { tabindex: '0' }, made.token ?? made.secret ?? '')]);
    await attempt(() => all.reload());
  }

  all.reload();
  return { node: h('div.page', {}, head(t('screen.tokens'), button(t('tokens.make'), make, { kind: 'primary' })), all.node) };
}
