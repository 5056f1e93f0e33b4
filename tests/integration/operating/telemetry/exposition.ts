// The rules of `promtool check metrics` for a text exposition: every series has help and a type, names are of Prometheus's
// characters and base units, counters end in _total and nothing else does, buckets rise to +Inf and equal the count.

const sample = /^([a-zA-Z_][\w]*)(?:\{(.*)\})? (\S+)$/;
const notBaseUnits = /_(milliseconds|ms|minutes|hours|kilobytes|megabytes|percent)(_|$)/;

/** One sentence per broken rule. */
export function problemsOf(text: string): string[] {
  const problems: string[] = [];
  const helped = new Set<string>();
  const types = new Map<string, string>();
  const buckets = new Map<string, number[]>();
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') helped.add(name);
    else if (keyword === 'TYPE') {
      if (types.has(name)) problems.push(`${name} has two types`);
      types.set(name, rest);
    } else readSample(line);
  }
  for (const [name, type] of types) {
    if (!helped.has(name)) problems.push(`${name} has no help`);
    if (type === 'counter' && !name.endsWith('_total')) problems.push(`${name}: a counter ends in _total`);
    if (type !== 'counter' && name.endsWith('_total'))
      problems.push(`${name}: only a counter ends in _total`);
    if (notBaseUnits.test(name)) problems.push(`${name} is not in base units`);
  }
  for (const [series, list] of buckets) {
    if (list.some((value, index) => value < (list[index - 1] ?? 0))) problems.push(`${series}: buckets fall`);
    if (list.at(-1) !== counts.get(series)) problems.push(`${series}: the last bucket is not the count`);
  }
  return problems;

  function readSample(line: string): void {
    const [, name, labels = '', value] = sample.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) {
      problems.push(`not a sample: ${line}`);
      return;
    }
    const base = name.replace(/_(bucket|sum|count)$/, '');
    if (!types.has(name) && types.get(base) !== 'histogram') problems.push(`${name} has no type`);
    if (types.get(base) !== 'histogram') return;
    const others = labels
      .split(',')
      .filter((label) => label !== '' && !label.startsWith('le='))
      .join(',');
    const series = `${base}{${others}}`;
    if (name.endsWith('_bucket')) buckets.set(series, [...(buckets.get(series) ?? []), Number(value)]);
    if (name.endsWith('_count')) counts.set(series, Number(value));
  }
}
