/** The sentences on top of the overview: at most two, and what is zero is not said. */
import type { AttentionItem } from '#contract/admin/attention.ts';
import type { OperatorOverview, OverviewDay } from '#contract/admin/overview.ts';
import { MINUS, type QuotaDisplay } from '#contract/money/quota-text.ts';
import { shownMoney } from '#web/ui/format/shown-money.ts';
import { paidText } from './money-words.ts';
import type { Equation } from './search.ts';

export type Target =
  | Equation
  | 'channels'
  | 'refused'
  | 'orders'
  | 'models'
  | 'balance'
  | 'days'
  | 'needs'
  | 'keys'
  | 'today'
  | 'yesterday'
  | 'calls'
  | 'success';
/** Words, or a number that leads somewhere. */
export interface Piece {
  text: string;
  target?: Target;
  tone?: 'danger' | 'warning';
}

/** A message of `sentence`; `<name>…</name>` in it is a number. */
export type Say = (
  key: 'off' | 'felt' | 'held' | 'unpriced' | 'came' | 'used' | 'cost' | 'margin' | 'unknown' | 'loss',
  values: Record<string, string | number>,
) => string;
export interface Joins {
  comma: string;
  semicolon: string;
  stop: string;
}

const TONES: Partial<Record<Target, Piece['tone']>> = {
  channels: 'danger',
  refused: 'danger',
  orders: 'warning',
  models: 'warning',
  needs: 'warning',
  keys: 'warning',
};

export function piecesOf(text: string, tones = TONES): Piece[] {
  return text.split(/(<\w+>[^<]*<\/\w+>)/).flatMap((part): Piece[] => {
    const [, target, inner] = /^<(\w+)>([^<]*)<\/\w+>$/.exec(part) ?? [];
    if (target === undefined) return part === '' ? [] : [{ text: part }];
    const tone = tones[target as Target];
    return [{ text: inner ?? '', target: target as Target, ...(tone ? { tone } : {}) }];
  });
}

const total = (items: readonly AttentionItem[], of: (item: AttentionItem) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** What stops calls, then what holds money, then what has no price: as many as two numbers say. */
export function needSentence(items: readonly AttentionItem[], say: Say, { semicolon, stop }: Joins): string {
  const open = items.filter(({ is_snoozed }) => !is_snoozed);
  const of = (...kinds: AttentionItem['kind'][]) => open.filter(({ kind }) => kinds.includes(kind));
  const clauses: { text: string; numbers: number }[] = [];
  const off = of('channel_only', 'channel_off');
  const calls = total(off, (item) => item.calls);
  if (off.length > 0)
    clauses.push({
      text: say('off', { count: off.length }) + (calls > 0 ? say('felt', { count: calls }) : ''),
      numbers: calls > 0 ? 2 : 1,
    });
  const held = total(of('order_uncredited'), (item) => item.count);
  if (held > 0) clauses.push({ text: say('held', { count: held }), numbers: 1 });
  const unpriced = total(of('model_unpriced'), (item) => item.count);
  if (unpriced > 0) clauses.push({ text: say('unpriced', { count: unpriced }), numbers: 1 });
  let left = 2;
  const said = clauses.filter(({ numbers }) => {
    const fits = numbers <= left;
    left -= fits ? numbers : left;
    return fits;
  });
  return said.length === 0 ? '' : said.map(({ text }) => text).join(semicolon) + stop;
}

/** The money of the chosen days; empty when none moved. */
export function moneySentence(
  { money }: Pick<OperatorOverview, 'money'>,
  say: Say,
  display: QuotaDisplay,
  language: string,
  { comma, semicolon, stop }: Joins,
): string {
  const shown = shownMoney(money, display);
  const came = paidText(money.came_in, language);
  const moved = [
    came === undefined ? '' : say('came', { amount: came }),
    shown.used === undefined ? '' : say('used', { amount: shown.used }),
    shown.cost === undefined ? '' : say('cost', { amount: shown.cost }),
  ].filter(Boolean);
  const made = [
    shown.margin === undefined
      ? ''
      : // The word says that it is a loss.
        say(money.margin < 0 ? 'loss' : 'margin', { amount: shown.margin.replace(MINUS, '') }),
    shown.unknown === undefined ? '' : say('unknown', { amount: shown.unknown }),
  ].filter(Boolean);
  const said = [moved, made].map((part) => part.join(comma)).filter(Boolean);
  return said.length === 0 ? '' : said.join(semicolon) + stop;
}

export const DAY_WORDS = {
  today: 'soFar',
  yesterday: 'yesterday',
  month: 'thisMonth',
} as const satisfies Record<OverviewDay, string>;
