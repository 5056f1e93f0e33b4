// A score of 0 to 100 for each model of each channel: 100 less the penalties of what was found.
import type { ModelScore, SignalFinding } from '#contract/suppliers/suppliers.ts';
import { USER_GROUPS } from './collector.ts';
import { addCell, emptyCell, sumOf, type Cell } from './cell.ts';
import { KEPT_DAYS, lastDays, type DayCell } from './counts.ts';
import { plainModelName } from './model-names.ts';
import { findSignals, type ModelCounts } from './signals.ts';
import { LEAST_VALUES } from './statistics.ts';

/** Answers of today and yesterday that are enough to judge; a channel with fewer is judged by a week. */
const ENOUGH_ANSWERS = 100;
export const DAYS_JUDGED = 7;

/** The last week, and of the weeks before it every fourth day: enough for a past, and few rows. */
export function judgedDays(today: number): number[] {
  const days = lastDays(today, DAYS_JUDGED);
  for (let day = today - DAYS_JUDGED; day > today - KEPT_DAYS; day -= 4) days.push(day);
  return days;
}

export interface ScoreParts {
  cells: readonly DayCell[];
  today: number;
  trusted: ReadonlySet<number>;
  priceOf: (model: string) => number | undefined;
  /** What the probes of a channel and model found. */
  probesOf?(channelId: number, model: string): SignalFinding | undefined;
}

export interface ChannelScore {
  channelId: number;
  score: number | null;
  answers: number;
  models: ModelScore[];
}

/** `cells` of `judgedDays`, for all channels. */
export function scoreChannels(parts: ScoreParts): ChannelScore[] {
  const counts = countsOf(parts);
  const byModel = Map.groupBy(counts, ({ model }) => plainModelName(model));
  const scored = new Map<number, ModelScore[]>();
  for (const each of counts) {
    const others = (byModel.get(plainModelName(each.model)) ?? []).filter(
      ({ channelId }) => channelId !== each.channelId,
    );
    const models = scored.get(each.channelId) ?? [];
    models.push(scoreOf(each, others, parts));
    scored.set(each.channelId, models);
  }
  return [...scored].map(([channelId, models]) => {
    const known = models.flatMap(({ score }) => score ?? []);
    return {
      channelId,
      score: known.length === 0 ? null : Math.min(...known),
      answers: models.reduce((sum, { answers }) => sum + answers, 0),
      models: models.toSorted((left, right) => (left.score ?? 101) - (right.score ?? 101)),
    };
  });
}

function scoreOf(counts: ModelCounts, others: readonly ModelCounts[], parts: ScoreParts): ModelScore {
  const { answers } = counts.all;
  const probes = parts.probesOf?.(counts.channelId, counts.model);
  // A trusted channel is what others are compared with.
  const findings = counts.isTrusted
    ? []
    : [...(probes === undefined ? [] : [probes]), ...findSignals({ counts, others, priceOf: parts.priceOf })];
  const isKnown = answers >= LEAST_VALUES || findings.length > 0;
  const lost = findings.reduce((sum, { penalty }) => sum + penalty, 0);
  return { model: counts.model, answers, findings, score: isKnown ? Math.max(0, 100 - lost) : null };
}

function countsOf({ cells, today, trusted }: ScoreParts): ModelCounts[] {
  const keyed = Map.groupBy(cells, ({ channelId, model }) => `${channelId} ${model}`);
  return [...keyed.values()].flatMap((days) => {
    const [first] = days;
    if (first === undefined) return [];
    const recent = days.filter(({ day }) => day >= today - 1);
    const answers = recent.reduce((sum, { cell }) => sum + cell.answers, 0);
    const from = answers >= ENOUGH_ANSWERS ? today - 1 : today - DAYS_JUDGED + 1;
    const groups: Cell[] = Array.from({ length: USER_GROUPS }, emptyCell);
    const past = emptyCell();
    for (const { day, userGroup, cell } of days)
      addCell(day >= from ? (groups[userGroup % USER_GROUPS] ?? past) : past, cell);
    const used = groups.filter((group) => group.answers > 0);
    if (used.length === 0) return [];
    const { channelId, model } = first;
    return [
      {
        channelId,
        model,
        isTrusted: trusted.has(channelId),
        groups: used,
        all: sumOf(used),
        ...(past.answers >= LEAST_VALUES ? { past } : {}),
      },
    ];
  });
}
