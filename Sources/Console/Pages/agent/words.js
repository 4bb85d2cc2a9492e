/** Lines of transcripts in words. */

import { t, term } from '../ui/kit.js';

/** One line, for lists and system lines. */
export function lineWords(line) {
  if (line.file) return t('line.file', { name: line.file.name });
  switch (line.type) {
    case 'Notice.Joined': return t('line.joined', { who: line.nickname });
    case 'Notice.Left': return t('line.left', { who: line.nickname });
    case 'Notice.PushUrl': return t('line.link', { url: line.text });
    default: return line.text;
  }
}

/** What became of a push. */
export const outcomeWords = (outcome) => (outcome ? term('outcome', outcome) : t('outcome.underWay'));
export const outcomeKind = (outcome) => (outcome === 'delivered' ? 'ok' : !outcome || outcome === 'collapsed' ? 'info' : 'bad');
