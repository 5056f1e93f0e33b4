// Runs the checks and keeps what they found, in memory on each node. A job runs them every minute; a reader who comes earlier
// gets what is kept. A check that fails keeps what it found before, and is an item itself when it has not run for long.
import { CHECK_LATE_SECONDS } from '#contract/admin/attention.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { CHECK_NAMES, CHECKS, type Facts, type SharedCheck } from './checks.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';

interface Kept {
  /** The last try, and the last one that succeeded; unix seconds. */
  triedAt: number;
  ranAt: number;
  items: readonly Found[];
  facts: Facts;
}

export interface CheckState {
  name: SharedCheck;
  ranAt: number;
  isLate: boolean;
  facts: Facts;
}

export interface Watch {
  /** Runs every check whose time has come; never throws. */
  run(): Promise<void>;
  /** What is known now, without asking the database. */
  readonly items: readonly Found[];
  states(): CheckState[];
  close(): void;
}

const nothing: Kept = { triedAt: 0, ranAt: 0, items: [], facts: {} };

export function createWatch(dependencies: AttentionDependencies): Watch {
  const startedAt = nowSeconds(dependencies);
  const kept = new Map<SharedCheck, Kept>();
  /** What they found may be old; a change during a run makes that run's finding old too. */
  const stale = new Set<SharedCheck>();
  let running: Promise<void> | undefined;
  const stop = dependencies.store.changes.subscribe('channels', () => {
    stale.add('channels').add('prices');
  });

  async function runOne(name: SharedCheck): Promise<void> {
    const before = kept.get(name) ?? nothing;
    const triedAt = nowSeconds(dependencies);
    stale.delete(name);
    try {
      const { find, facts } = CHECKS[name];
      const [items, known] = await Promise.all([find(dependencies), facts?.(dependencies) ?? {}]);
      const sinceOf = new Map(before.items.map(({ id, since }) => [id, since]));
      kept.set(name, {
        triedAt,
        ranAt: triedAt,
        facts: known,
        items: items.map((item) =>
          item.since > 0 ? item : { ...item, since: sinceOf.get(item.id) ?? triedAt },
        ),
      });
    } catch (error) {
      kept.set(name, { ...before, triedAt });
      dependencies.onError?.(name, error);
    }
  }

  async function runDue(): Promise<void> {
    for (const name of CHECK_NAMES) {
      const { triedAt } = kept.get(name) ?? nothing;
      // Not in the same moment: each takes a reader of the database for itself.
      const isDue = nowSeconds(dependencies) - triedAt >= CHECKS[name].everySeconds;
      if (isDue || stale.has(name)) await runOne(name);
    }
  }

  /** Before its first run a check is late when the node has been up for so long. */
  const isLate = (name: SharedCheck): boolean =>
    nowSeconds(dependencies) - ((kept.get(name) ?? nothing).ranAt || startedAt) >= CHECK_LATE_SECONDS;

  const lateItems = (access: 'admin' | 'root'): Found[] => {
    const late = CHECK_NAMES.filter((name) => CHECKS[name].access === access && isLate(name));
    if (late.length === 0) return [];
    const last = Math.min(...late.map((name) => (kept.get(name) ?? nothing).ranAt));
    return [
      found('check_late', {
        of: access,
        mark: late.join(' '),
        since: last || startedAt,
        subjects: late.map((name) => ({ kind: 'job', id: name, name })),
        values: { last_at: last, checks: late.join(',') },
        address: '/nodes',
      }),
    ];
  };

  return {
    async run() {
      // What changed since that run began is found by the next.
      await running;
      running ??= runDue().finally(() => {
        running = undefined;
      });
      await running;
    },
    get items() {
      return [
        ...[...kept.values()].flatMap(({ items }) => items),
        ...lateItems('admin'),
        ...lateItems('root'),
      ];
    },
    states: () =>
      CHECK_NAMES.map((name) => {
        const { ranAt, facts } = kept.get(name) ?? nothing;
        return { name, ranAt, isLate: isLate(name), facts };
      }),
    close: stop,
  };
}
