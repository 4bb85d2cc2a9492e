/** A line over time, drawn as SVG, with its figures in words for who cannot see it. */

import { h, s } from '../core/dom.js';
import { language, t } from '../core/i18n.js';
import { timeOfDay } from '../core/time.js';

const [width, height, foot] = [400, 90, 14];

/**
 * @param {string} title
 * @param {{time: number, value: number}[]} samples oldest first.
 * @param {(value: number) => string} format
 */
export function plot(title, samples, format) {
  const known = samples.filter((sample) => Number.isFinite(sample.value));
  const last = known.at(-1);
  const most = Math.max(1e-9, ...known.map((sample) => sample.value));
  const words = last ? t('plot.words', { last: format(last.value), most: format(most) }) : t('plot.none');
  return h('figure.plot', h('figcaption', h('span', title), h('strong', last ? format(last.value) : '–')),
    known.length > 1 ? drawing(title, words, known, most) : h('p.hint', t('plot.none')));
}

function drawing(title, words, known, most) {
  const [first, last] = [known[0].time, known.at(-1).time];
  const x = (time) => ((time - first) / Math.max(1, last - first)) * width;
  const y = (value) => 4 + (height - foot - 4) * (1 - value / most);
  const points = known.map((sample) => `${x(sample.time).toFixed(1)},${y(sample.value).toFixed(1)}`);
  const base = height - foot;
  return s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: ${words}`, preserveAspectRatio: 'none' },
    s('line.axis', { x1: 0, y1: base, x2: width, y2: base }),
    s('polygon.area', { points: `0,${base} ${points.join(' ')} ${width},${base}` }),
    s('polyline.curve', { points: points.join(' ') }),
    s('text', { x: 0, y: height - 2 }, timeOfDay(first, language)),
    s('text', { x: width, y: height - 2, 'text-anchor': 'end' }, timeOfDay(last, language)));
}
