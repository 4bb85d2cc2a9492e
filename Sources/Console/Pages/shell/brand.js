/** The name with its bell. */

import { h, s } from '../ui/kit.js';

export const brand = () =>
  h('div.brand', s('svg.bell', { viewBox: '0 0 64 64', 'aria-hidden': 'true' },
    s('rect', { width: 64, height: 64, rx: 14 }),
    s('path', { d: 'M32 12a3 3 0 0 1 3 3v1.400a13 13 0 0 1 10 12.600v8l4 6.500a1.600 1.600 0 0 1-1.400 2.500H16.400A1.600 1.600 0 0 1 15 43.500l4-6.500v-8a13 13 0 0 1 10-12.600V15a3 3 0 0 1 3-3zM26 49h12a6 6 0 0 1-12 0z' })), h('span', 'Carillon'));
