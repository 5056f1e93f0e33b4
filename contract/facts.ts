/**
 * What is stored about an event is a fact: a code and its values. Its sentence is written when it is read, in the reader's
 * language, with quota as the installation shows amounts. Text that holds no fact is shown unchanged.
 */
import { FACT_WORDS } from './fact-words.ts';
import type { Language, Text } from './language.ts';
import { oldFact, type Fact } from './old-facts.ts';
import { renderQuota, type QuotaDisplay } from './money/quota-text.ts';

export type FactCode = keyof typeof FACT_WORDS;

type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
type ValueNames<Code extends FactCode> = Names<(typeof FACT_WORDS)[Code][number]>;
export type FactValues<Code extends FactCode> = Readonly<Record<ValueNames<Code>, string | number>>;

/** The beginning of every stored fact. */
const MARK = '{"fact":"';

/** As it is stored. */
export function factText<Code extends FactCode>(
  code: Code,
  ...[values]: [ValueNames<Code>] extends [never] ? [] : [values: FactValues<Code>]
): string {
  return JSON.stringify({ fact: code, ...values });
}

/** Text of others (an upstream, an imported row), which must not be read as a fact. */
export const plainText = (text: string): string => (text.startsWith(MARK) ? ` ${text}` : text);

export interface FactReader extends QuotaDisplay {
  language: Language;
}

/** Undefined for text that holds no fact, and for facts of a newer version. */
export function factIn(stored: string): Fact | undefined {
  if (!stored.startsWith(MARK)) return oldFact(stored);
  try {
    const { fact: code, ...values } = JSON.parse(stored) as { fact: string };
    return { code, values };
  } catch {
    return undefined;
  }
}

/** The sentence of a stored text for its reader. */
export function wordsOf(stored: string, reader: FactReader): string {
  const fact = factIn(stored);
  if (fact === undefined || !Object.hasOwn(FACT_WORDS, fact.code)) return stored;
  const [zh, en] = FACT_WORDS[fact.code as FactCode];
  const template: string = reader.language === 'zh' ? zh : en;
  const valueOf = (name: string) => shownValue(name, fact.values[name], reader);
  return template
    .replaceAll(/\[([^[\]]*\{(\w+)\}[^[\]]*)\]/g, (_, part: string, name: string) =>
      valueOf(name) === '' ? '' : part,
    )
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name));
}

/** Of facts without amounts: of channels, tasks and payments. */
export const wordsIn = (language: Language, stored: string): string =>
  wordsOf(stored, { language, quotaPerUnit: 1, displayInCurrency: false });

/** A failed attempt: its code, then what the upstream said (`status 429: Rate limit reached`). */
export function attemptWords(language: Language, stored: string): string {
  const at = stored.indexOf(': ');
  if (at < 0) return wordsIn(language, stored);
  const head = wordsIn(language, stored.slice(0, at));
  return head + (language === 'zh' ? '：' : ': ') + stored.slice(at + 2);
}

/** For errors, whose reader's language is known only at the edge. */
export const wordsInBoth = (stored: string): Text => ({
  zh: wordsIn('zh', stored),
  en: wordsIn('en', stored),
});

function shownValue(name: string, value: unknown, reader: FactReader): string {
  if (typeof value === 'number') return name.endsWith('quota') ? exactQuota(value, reader) : String(value);
  if (typeof value !== 'string') return '';
  return name === 'failure' ? wordsOf(value, reader) : value;
}

/** As the console shows it, with as many decimals as the amount has: a correction is read to its last unit. */
function exactQuota(quota: number, display: QuotaDisplay): string {
  const cents = (quota * 100) / display.quotaPerUnit;
  return renderQuota(quota, display, Number.isInteger(cents) ? 2 : 6);
}
