/** Erasing a customer: what would go is counted first, and the customer's key typed once more. */

import { attempt, badge, field, get, h, head, listing, number, post, replace, seg, t, table, term, toast, when } from '../ui/kit.js';
import { typedAgain } from '../ui/again.js';

export function screen() {
  const subject = h('input', { name: 'subject', required: true, maxlength: 256, autocomplete: 'off', spellcheck: 'false' });
  const reason = h('input', { name: 'reason', required: true, maxlength: 256 });
  const running = h('div', { role: 'status' });
  const all = listing('/admin/1/redactions', () => ({}), 'redactions', ['id', 'state', 'by', 'reason', 'records', 'requestedAt'], (one) => [h('code', one.id), badge(term('redaction', one.state), 'ok'), one.by, one.reason, number(one.records), when(one.requestedAt)], 'redactions.none');
  const form = h('form.card', { onsubmit: ask }, h('h2', t('redact')), h('p.hint', t('redact.help')), field(t('redact.subject'), subject), field(t('reason'), reason), h('button.button.danger', { type: 'submit' }, t('redact.dryRun')));
  let timer = null;

  async function ask(event) {
    event.preventDefault();
    const order = { subject: subject.value.trim(), reason: reason.value.trim() };
    const count = await attempt(() => post('/admin/1/redactions', { ...order, dryRun: true }));
    if (!count) return;
    let begun = null;
    const reach = [table(t('redact'), [t('kind'), t('entities'), t('records')], count.kinds.map((one) => [one.kind, number(one.entities), number(one.records)])), h('p.problem', t('redact.warning', { n: number(count.records) }))];
    const done = await typedAgain(t('redact'), order.subject, reach, async () => {
      begun = await post('/admin/1/redactions', order);
    });
    if (done) watch(begun);
  }

  async function watch(order) {
    if (order.state !== 'running') {
      toast(t('redact.done', { n: order.records ?? 0 }));
      subject.value = reason.value = '';
      replace(running);
      return all.reload();
    }
    replace(running, h('p', t('redact.running')), h('progress', { 'aria-label': t('redact.running') }));
    timer = setTimeout(async () => watch((await attempt(() => get(`/admin/1/redactions/${seg(order.id)}`))) ?? order), 1000);
  }

  all.reload();
  return { node: h('div.page', head(t('screen.redaction')), form, running, h('section', h('h2', t('redactions')), all.node)), dispose: () => clearTimeout(timer) };
}
