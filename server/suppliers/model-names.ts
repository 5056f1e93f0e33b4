// Whether two names mean the same model. Dates, aliases and the path of a catalogue are no difference.
const PATH = /^.*\//;
const ACCOUNT = /(?:-v\d+:\d+|[@:].*)$/;
const CLOUD_REGION = /^(?:us|eu|apac|global)\./;
const CLOUD_VENDOR = /^(?:anthropic|meta|amazon|mistral|cohere|deepseek|qwen|openai)\./;
const ENDING = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{3}|latest|preview|exp|online)$/;

/** `us.anthropic.claude-3-5-sonnet-20241022-v2:0` → `claude-3-5-sonnet` */
export function plainModelName(name: string): string {
  let plain = name
    .trim()
    .toLowerCase()
    .replace(PATH, '')
    .replace(ACCOUNT, '')
    .replace(CLOUD_REGION, '')
    .replace(CLOUD_VENDOR, '')
    .replaceAll('_', '-');
  for (;;) {
    const shorter = plain.replace(ENDING, '');
    if (shorter === plain || shorter === '') return plain.replaceAll('.', '-');
    plain = shorter;
  }
}

export function isSameModel(asked: string, named: string): boolean {
  return plainModelName(asked) === plainModelName(named);
}

/** Exports of costs write models as titles, of older models with the number at the end: `Claude Haiku 4.5`, `Claude Sonnet 3.7`. */
export function billedModelName(name: string): string {
  const plain = plainModelName(name.trim().replaceAll(/\s+/g, '-'));
  return plain.replace(/^claude-(\d(?:-\d)?)-(haiku|sonnet|opus)$/, 'claude-$2-$1');
}
