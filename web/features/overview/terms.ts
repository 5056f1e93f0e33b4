/** The terms of each equation, rounded so that what is shown is true; and the channels behind it, few enough to read. */
import type { OperatorOverview } from '#contract/admin/overview.ts';
import type { Rounded } from '#web/ui/format/shown-money.ts';
import type { Equation } from './search.ts';

export type TermTone = 'used' | 'cost' | 'margin' | 'unknown';
export type TermLabel =
  | 'usedBy'
  | 'unknown'
  | 'ofRest'
  | 'margin'
  | 'cost'
  | 'ofCalls'
  | 'fees'
  | 'used'
  | 'known';

export interface Term {
  /** Before the amount: a sign or a bracket. */
  before: string;
  whole: number;
  /** A bracket that closes after it. */
  after?: string;
  label: TermLabel;
  tone: TermTone;
  isResult?: boolean;
}

export type MoneyEquation = Exclude<Equation, 'came'>;

/** `fees`: of the cost, in units of quota. */
export function termsOf(name: MoneyEquation, rounded: Rounded, feesQuota: number): Term[] {
  const { used, cost, margin, unknown } = rounded;
  const fees = rounded.round(feesQuota);
  const result = { before: '=', isResult: true } as const;
  switch (name) {
    case 'used':
      return [
        { before: '', whole: cost, label: 'cost', tone: 'cost' },
        { before: '+', whole: margin, label: 'margin', tone: 'margin' },
        { before: '+', whole: unknown, label: 'unknown', tone: 'unknown' },
        { ...result, whole: used, label: 'usedBy', tone: 'used' },
      ];
    case 'cost':
      return [
        { before: '', whole: cost - fees, label: 'ofCalls', tone: 'cost' },
        { before: '+', whole: fees, label: 'fees', tone: 'cost' },
        { ...result, whole: cost, label: 'cost', tone: 'cost' },
      ];
    case 'unknown':
      return [
        { before: '', whole: used, label: 'usedBy', tone: 'used' },
        { before: '−', whole: used - unknown, label: 'known', tone: 'cost' },
        { ...result, whole: unknown, label: 'unknown', tone: 'unknown' },
      ];
    default:
      return [
        { before: '(', whole: used, label: 'usedBy', tone: 'used' },
        { before: '−', whole: unknown, after: ')', label: 'unknown', tone: 'unknown' },
        { before: '−', whole: cost, label: 'ofRest', tone: 'cost' },
        { ...result, whole: margin, label: 'margin', tone: 'margin' },
      ];
  }
}

export interface ChannelLine {
  /** 0: all the others in one line. */
  id: number;
  name: string;
  /** How many channels the line stands for. */
  count: number;
  used: number;
  cost: number;
  margin: number;
}

const MOST_LINES = 10;
const WORST_LINES = 2;

/** The channels with the largest and the worst margins; the others are summed, so that the lines add up to the total. */
export function channelLines(channels: OperatorOverview['margin_channels']): ChannelLine[] {
  const line = (channel: (typeof channels)[number]): ChannelLine => ({ ...channel, count: 1 });
  if (channels.length <= MOST_LINES) return channels.map(line);
  const first = channels.slice(0, MOST_LINES - WORST_LINES - 1);
  const last = channels.slice(-WORST_LINES);
  const others = channels.slice(first.length, -WORST_LINES);
  const sum = (of: 'used' | 'cost' | 'margin') => others.reduce((total, channel) => total + channel[of], 0);
  return [
    ...first.map(line),
    { id: 0, name: '', count: others.length, used: sum('used'), cost: sum('cost'), margin: sum('margin') },
    ...last.map(line),
  ];
}

/** Under the channels, as the equation above them shows it: summed alone, a foot can be a cent off. `used`: of known cost. */
export function footOf({
  used,
  cost,
  margin,
  unknown,
  text,
}: Rounded): Record<'used' | 'cost' | 'margin' | 'unknown', string> {
  return { used: text(used - unknown), cost: text(cost), margin: text(margin), unknown: text(unknown) };
}
