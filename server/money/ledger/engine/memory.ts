// Sums that a batch keeps in memory and writes once at its end, the same on both databases.
import { DAY_SECONDS } from '#contract/time.ts';
import { spanStart } from '#server/money/sums/margin-spans.ts';
import type { Subject } from './operations.ts';
import type { HolderEntry, MarginEntry, Rows, UsageEntry, WindowEntry } from './rows.ts';

export interface Window {
  scope: string;
  start: number;
  used: number;
  dirty: boolean;
}

interface Spent {
  subject: Subject;
  id: number;
  hour: number;
  quota: number;
}

/** Hourly usage, margins of days, channel totals, rate-limit minutes and budget sums of one batch. */
export abstract class BatchMemory implements Pick<
  Rows,
  'countUsage' | 'countHolder' | 'countMargin' | 'countWindow' | 'countChannel' | 'addToWindow'
> {
  protected readonly usage = new Map<string, UsageEntry>();
  protected readonly holders = new Map<string, HolderEntry>();
  protected readonly margins = new Map<string, MarginEntry>();
  /** With margins of this batch, and over already: they may be summed. */
  protected readonly pastDays = new Set<number>();
  /** Of budgets, in windows that are over. */
  protected readonly ended = new Map<string, WindowEntry>();
  protected readonly channels = new Map<number, number>();
  protected readonly windows = new Map<string, Window>();
  readonly #spent = new Map<string, Spent>();

  abstract readonly now: number;
  protected abstract loadWindow(scope: string, windowStart: number): number;
  protected abstract loadSpent(subject: Subject, id: number, hour: number): number;

  protected forget(): void {
    this.usage.clear();
    if (this.holders.size > 0) this.holders.clear();
    this.margins.clear();
    this.pastDays.clear();
    if (this.ended.size > 0) this.ended.clear();
    this.channels.clear();
    this.windows.clear();
    this.#spent.clear();
  }

  windowUsed(scope: string, windowStart: number): number {
    return this.#window(scope, windowStart).used;
  }

  addToWindow(scope: string, windowStart: number, amount: number): void {
    const window = this.#window(scope, windowStart);
    window.used = Math.max(0, window.used + amount);
    window.dirty = true;
  }

  #window(scope: string, start: number): Window {
    const key = `${scope}@${start}`;
    let window = this.windows.get(key);
    if (window === undefined) {
      window = { scope, start, used: this.loadWindow(scope, start), dirty: false };
      this.windows.set(key, window);
    }
    return window;
  }

  spentSince(subject: Subject, id: number, hour: number): number {
    const key = `${subject}:${id}:${hour}`;
    let spent = this.#spent.get(key);
    if (spent === undefined) {
      spent = { subject, id, hour, quota: this.loadSpent(subject, id, hour) };
      for (const pending of this.usage.values()) addSpent(spent, pending);
      this.#spent.set(key, spent);
    }
    return spent.quota;
  }

  countUsage(entry: UsageEntry): void {
    const hour = entry.at - (entry.at % 3600);
    for (const spent of this.#spent.values()) addSpent(spent, entry);
    const key = `${hour}:${entry.userId}:${entry.tokenId}:${entry.channelId}:${entry.modelName}`;
    const sum = this.usage.get(key);
    if (sum === undefined) {
      this.usage.set(key, { ...entry, at: hour });
      return;
    }
    sum.count += entry.count;
    sum.quota += entry.quota;
    sum.promptTokens += entry.promptTokens;
    sum.completionTokens += entry.completionTokens;
    sum.errorCount += entry.errorCount;
    sum.useTimeMs += entry.useTimeMs;
    sum.firstTokenMs += entry.firstTokenMs;
  }

  countHolder(entry: HolderEntry): void {
    const hour = entry.at - (entry.at % 3600);
    const { userId, tagKey, tagValue, memberId, serviceAccountId, projectId, tokenId, modelName } = entry;
    const key = JSON.stringify([
      hour,
      userId,
      tagKey,
      tagValue,
      memberId,
      serviceAccountId,
      projectId,
      tokenId,
      modelName,
    ]);
    const sum = this.holders.get(key);
    if (sum === undefined) {
      this.holders.set(key, { ...entry, at: hour });
      return;
    }
    sum.count += entry.count;
    sum.quota += entry.quota;
    sum.promptTokens += entry.promptTokens;
    sum.completionTokens += entry.completionTokens;
    sum.errorCount += entry.errorCount;
    sum.useTimeMs += entry.useTimeMs;
    sum.firstTokenMs += entry.firstTokenMs;
  }

  countMargin(entry: MarginEntry): void {
    const day = spanStart(entry.at, 1);
    const key = `${day}:${entry.userId}:${entry.channelId}:${entry.group}:${entry.modelName}`;
    const sum = this.margins.get(key);
    if (sum === undefined) {
      this.margins.set(key, { ...entry, at: day });
      if (day + DAY_SECONDS <= this.now) this.pastDays.add(day);
      return;
    }
    sum.count += entry.count;
    sum.quota += entry.quota;
    sum.cost += entry.cost;
    sum.costedCount += entry.costedCount;
    sum.costedQuota += entry.costedQuota;
  }

  countWindow(entry: WindowEntry): void {
    const key = `${entry.counterId}:${entry.start}`;
    const sum = this.ended.get(key);
    if (sum === undefined) this.ended.set(key, { ...entry });
    else sum.spent += entry.spent;
  }

  countChannel(channelId: number, quota: number): void {
    this.channels.set(channelId, (this.channels.get(channelId) ?? 0) + quota);
  }
}

function addSpent(spent: Spent, entry: UsageEntry): void {
  const id = spent.subject === 'user' ? entry.userId : entry.tokenId;
  if (id === spent.id && entry.at >= spent.hour) spent.quota += entry.quota;
}
