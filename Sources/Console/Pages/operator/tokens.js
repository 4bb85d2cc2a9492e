/** Tokens: who may come in, making one, and shutting one out. */

import { asking, badge, button, dialog, field, h, head, listing, post, seg, select, t, term, toast, when, worker } from '../ui/kit.js';
import { typedAgain } from '../ui/again.js';

const roles = ['agent', 'supervisor', 'bot', 'admin', 'sender', 'publisher', 'channels', 'standby'];
const words = (text) => text.split(/[\s,]+/).filter(Boolean);

export function screen() {
  const role = select([['', t('all')], ...roles.map((id) => [id, term('role', id)])], { name: 'role' });
  const usable = select([['true', t('valid')], ['', t('all')]], { name: 'usable' });
  const all = listing('/admin/1/tokens', () => ({ role: role.value, usable: usable.value }), 'screen.tokens', ['name', 'role', 'services', 'state', 'createdAt', ''], row, 'tokens.none');

  function row(one) {
    return [h('span', { dir: 'auto' }, one.name), term('role', one.role), one.sender ? [one.sender.id, ' ', one.sender.testMode ? badge(t('tokens.test'), 'info') : null] : one.services?.join(', ') ?? t('all'),
    [badge(t(one.usable ? 'valid' : 'revoked'), one.usable ? 'ok' : ''), ' ', one.own ? badge(t('you'), 'info') : null], when(one.revokedAt ?? one.createdAt), one.usable ? button(t('revoke'), () => revoke(one), { kind: 'danger' }) : null];
  }

  async function revoke(one) {
    const question = [t('revoke.question', { name: one.name }), one.own ? ` ${t('revoke.own')}` : ''].join('');
    if (await typedAgain(t('revoke'), one.name, question, () => post(`/admin/1/tokens/${seg(one.id)}/revoke`, { confirm: one.own }))) all.reload();
  }

  async function make() {
    const [name, services, sender] = ['name', 'services', 'sender'].map((id) => h('input', { name: id, maxlength: id === 'services' ? 4000 : 64, required: id === 'name', autocomplete: 'off', spellcheck: 'false' }));
    const test = h('input', { type: 'checkbox' });
    const what = select(roles.map((id) => [id, term('role', id)]), { name: 'role', onchange: adapt });
    const ofChats = field(t('services'), services, t('tokens.services.help'));
    const ofSender = h('div', field(t('tokens.sender'), sender, t('tokens.sender.help')), h('label.check', test, t('tokens.test')));
    function adapt() {
      const isSender = what.value === 'sender';
      ofSender.hidden = !isSender;
      ofChats.hidden = isSender || ['admin', 'publisher', 'channels', 'standby'].includes(what.value);
      sender.required = isSender;
    }
    adapt();
    let made = null;
    const body = () => [field(t('name'), name, t('tokens.name.help')), field(t('role'), what), ofChats, ofSender];
    await dialog(t('tokens.make'), body, {
      ok: t('tokens.make'),
      async submit() {
        const order = { name: name.value.trim(), role: what.value };
        if (!ofChats.hidden && words(services.value).length) order.services = words(services.value);
        if (!ofSender.hidden) order.sender = { id: sender.value.trim(), testMode: test.checked };
        made = await post('/admin/1/tokens', order);
      },
    });
    if (!made) return;
    all.reload();
    await showOnce(made);
  }

  all.reload();
  return { node: h('div.page', head(t('screen.tokens'), button(t('tokens.make'), make, { kind: 'primary' })), asking(() => all.reload(), field(t('role'), role), field(t('state'), usable)), all.node) };
}

/** The secret is in no other answer: it is shown until the dialog is closed, and kept nowhere. */
function showOnce({ name, secret, unknownServices }) {
  const shown = h('input', { readonly: true, value: secret, 'aria-label': t('token'), onfocus: ({ target }) => target.select() });
  const copy = navigator.clipboard && worker(t('copy'), async () => {
    await navigator.clipboard.writeText(secret);
    toast(t('copied'));
  });
  return dialog(t('tokens.made', { name }), () => [h('p', t('tokens.once')), shown, copy, unknownServices.length ? h('p.problem', t('tokens.unknown', { names: unknownServices.join(', ') })) : null]);
}
