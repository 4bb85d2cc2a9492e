/** Reads Prometheus text. Pure. Spec: Prometheus text format 0.0.4. */

/** @returns {{name: string, labels: Object<string, string>, value: number}[]} */
export function parse(text) {
  const metrics = [];
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!found) continue;
    const labels = Object.fromEntries([...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one))]));
    metrics.push({ name: found[1], labels, value: Number(found[3]) });
  }
  return metrics;
}

/** The sum over all labels that `fits` takes. */
export const sum = (metrics, name, fits = () => true) => metrics.filter((one) => one.name === name && fits(one.labels)).reduce((total, one) => total + one.value, 0);
