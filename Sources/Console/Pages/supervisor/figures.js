/** The figures of a day: what came, was answered and given up, and how long it took. */

import { attempt, badge, clock, empty, field, get, h, head, now, number, replace, select, t, table, worker } from '../ui/kit.js';
import { downloadText } from '../ui/download.js';
import { plot } from '../ui/plot.js';
import { tile } from '../ui/tile.js';

const path = '/agent/1/figures';
/** Asked for anew so often, in milliseconds. */
const askEvery = 30000;
const hourLength = 3600000;

/** Days are those of UTC, as the server counts them. */
const today = () => new Date(now()).toISOString().slice(0, 10);
const seconds = (value) => (Number.isFinite(value) ? clock(value * 1000) : '–');
const pair = (times) => (times ? `${seconds(times.p50)} / ${seconds(times.p90)}` : '–');

export function screen() {
  const date = h('input', { type: 'date', value: today(), max: today(), required: true, onchange: () => load() });
  const service = select([['', t('all')]], { onchange: () => load() });
  const body = h('div.stack', { 'aria-busy': 'true' });
  const csv = worker('CSV', async () => downloadText(`figures-${date.value}.csv`, await get(`${path}.csv`, query()), 'text/csv'), { symbol: 'pulse' });
  const query = () => ({ date: date.value, service: service.value });
  let asked = 0;
  let isGone = false;

  async function load() {
    const mine = ++asked;
    const day = await attempt(() => get(path, query()));
    if (isGone || mine !== asked || day === undefined) return;
    body.removeAttribute('aria-busy');
    offer(day.services);
    replace(body, render(day));
  }

  /** Services appear as their chats do; those that were there stay. */
  function offer(services) {
    const known = [...service.options].map((option) => option.value);
    for (const one of services) if (!known.includes(one.service)) service.append(h('option', { value: one.service }, one.service));
  }

  const asking = setInterval(() => date.value === today() && load(), askEvery);
  load();
  return {
    node: h('div.page', head(t('screen.figures'), csv), h('form.form-row', { onsubmit: (event) => event.preventDefault() }, field(t('day'), date, t('figures.utc')), field(t('service'), service)), body),
    dispose() {
      isGone = true;
      clearInterval(asking);
    },
  };
}

function render(day) {
  const start = Date.parse(`${day.date}T00:00:00Z`);
  const hours = day.hours.filter(({ hour }) => start + hour * hourLength <= now());
  // One point makes no line.
  const line = (title, value, format = number) => {
    const samples = hours.map((one) => ({ time: start + one.hour * hourLength, value: value(one) })).filter((sample) => Number.isFinite(sample.value));
    return samples.length > 1 ? plot(title, samples, format) : null;
  };
  const total = day.total;
  return [
    day.complete ? null : h('p', badge(t('figures.partial'), 'warn')),
    h('div.tiles', tile(t('figures.begun'), number(total.begun)), tile(t('figures.handled'), number(total.handled)), tile(t('figures.abandoned'), number(total.abandoned), null, total.abandoned ? 'warn' : ''),
      tile(t('figures.firstAnswer'), pair(total.firstAnswer), t('figures.percentiles')), tile(t('figures.handling'), pair(total.handling), t('figures.percentiles'))),
    h('div.columns', line(t('figures.begun'), (one) => one.begun), line(t('figures.handled'), (one) => one.handled), line(t('figures.abandoned'), (one) => one.abandoned), line(`${t('figures.firstAnswer')} (p90)`, (one) => one.firstAnswer?.p90, seconds)),
    h('div.columns',
      h('section', h('h2', t('services')), day.services.length ? table(t('services'), [t('service'), t('figures.begun'), t('figures.abandoned'), ...titles()], day.services.map((one) => [one.service, number(one.begun), number(one.abandoned), ...answered(one)])) : empty(t('services.none'))),
      h('section', h('h2', t('agents')), day.agents.length ? table(t('agents'), [t('agent'), ...titles()], day.agents.map((one) => [one.agentId, ...answered(one)])) : empty(t('figures.nobody')))),
  ];
}

const titles = () => [t('figures.handled'), t('figures.firstAnswer'), t('figures.handling')];
const answered = (one) => [number(one.handled), pair(one.firstAnswer), pair(one.handling)];
