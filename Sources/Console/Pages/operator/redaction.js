/** Erasing a customer: what would go is counted first, and the customer's key typed once more. */

import { Failure, get, list, post, seg } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { number, t, term } from '../core/i18n.js';
import { attempt, dialog, toast } from '../core/live.js';
import { badge, empty, facts, field, head, pages, table, when } from '../ui/parts.js';

export function screen() {
  const subject = h('input', { name: 'subject', required: true, maxlength: 1024, autocomplete: 'off', spellcheck: 'false' });
  const reason = h('input', { name: 'reason', required: true, maxlength: 500 });
  const running = h('div', { role: 'status' });
  const all = pages((after) => list('/admin/1/redactions', { limit: 100, after }), (items) => table(t('redactions'), [t('id'), t('state'), t('by'), t('reason'), t('records'), t('requestedAt')], items.toReversed().map((one) => [h('code', {}, one.id), badge(term('redaction', one.state), one.state === 'done' ? 'ok' : 'info'), one.by, one.reason, number(one.records ?? 0), when(one.requestedAt)])), empty(t('redactions.none')));
  const form = h('form.card', { onsubmit: ask }, h('h2', {}, t('redact')), h('p.hint', {}, t('redact.help')), field(t('redact.subject'), subject), field(t('reason'), reason), h('button.button.danger', { type: 'submit' }, t('redact.dryRun')));
  let timer = null;

  async function ask(event) {
    event.preventDefault();
    const [who, why] = [subject.value.trim(), reason.value.trim()];
    const count = await attempt(() => dryRun(who, why));
    if (count === undefined) return;
    const again = h('input', { autocomplete: 'off', spellcheck: 'false' });
    let order = null;
    const done = await dialog(t('redact'), () => [count ? facts(Object.entries(count).filter(([, value]) => typeof value !== 'object').map(([name, value]) => [term('count', name), String(value)])) : h('p', {}, t('redact.noDryRun')), h('p.problem', {}, t('redact.warning')), field(t('redact.again', { subject: who }), again)], {
      ok: t('redact'),
      danger: true,
      async submit() {
        if (again.value.trim() !== who) throw new Error(t('redact.differs'));
        order = await post('/admin/1/redactions', { subject: who, reason: why });
      },
    });
    if (done) watch(order);
  }

  async function watch(order) {
    if (order.state !== 'running') {
      toast(t('redact.done', { n: order.records ?? 0 }));
      subject.value = reason.value = '';
      replace(running);
      return all.reload();
    }
    replace(running, h('p', {}, t('redact.running')), h('progress', { 'aria-label': t('redact.running') }));
    timer = setTimeout(async () => {
      const now = await attempt(() => get(`/admin/1/redactions/${seg(order.id)}`));
      watch(now ?? order);
    }, 1000);
  }

  all.reload();
  return { node: h('div.page', {}, head(t('screen.redaction')), form, running, h('section', {}, h('h2', {}, t('redactions')), all.node)), dispose: () => clearTimeout(timer) };
}

/** What would be erased, or null where the server does not count first. It refuses a member that it does not know, and erases nothing. */
async function dryRun(subject, reason) {
  try {
    const count = await post('/admin/1/redactions/dry-run', { subject, reason });
    return count;
  } catch (error) {
    if (error instanceof Failure && [400, 404, 405].includes(error.status)) return null;
    throw error;
  }
}
