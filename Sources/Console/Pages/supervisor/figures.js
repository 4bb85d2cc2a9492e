/** Today's figures, where the server tells them. */

import { get, ifThere } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { number, t } from '../core/i18n.js';
import { attempt } from '../core/live.js';
import { short } from '../core/time.js';
import { downloadText, csv } from '../ui/csv.js';
import { button } from '../ui/parts.js';
import { tile } from '../ui/tile.js';
import { plot } from '../ui/plot.js';

/** An empty place that fills once the figures have come. */
export function figures() {
  const node = h('div');
  attempt(async () => {
    const today = await ifThere(get('/agent/1/figures'));
    if (today) replace(node, render(today));
  });
  return node;
}

function render({ firstAnswer, handled, abandoned, hours = [] }) {
  const seconds = (value) => (value === null || value === undefined ? '–' : short(value * 1000));
  const save = () => downloadText('carillon-figures.csv', csv([['from', 'handled', 'abandoned', 'first answer p50', 'first answer p90'], ...hours.map((hour) => [hour.from, hour.handled, hour.abandoned, hour.firstAnswer?.p50 ?? '', hour.firstAnswer?.p90 ?? ''])]));
  return [
    h('div.tiles', {}, tile(t('firstAnswer.p50'), seconds(firstAnswer?.p50)), tile(t('firstAnswer.p90'), seconds(firstAnswer?.p90)), tile(t('handled'), number(handled ?? 0)), tile(t('abandoned'), number(abandoned ?? 0))),
    hours.length ? h('div.columns', {}, plot(t('handled'), hours.map((hour) => ({ time: Date.parse(hour.from), value: hour.handled })), number), plot(t('firstAnswer.p90'), hours.map((hour) => ({ time: Date.parse(hour.from), value: hour.firstAnswer?.p90 ?? 0 })), seconds)) : null,
    hours.length ? h('p', {}, button(t('csv'), save)) : null,
  ];
}
