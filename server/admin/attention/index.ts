// What needs a person: the checks, and the list as one reader may see it.
import { isAdmin, isRoot } from '#contract/access.ts';
import type { attention, AttentionItem, AttentionView } from '#contract/admin/attention.ts';
import { ATTENTION_KINDS } from '#contract/admin/attention-kinds.ts';
import { AppError } from '#contract/errors.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Caller, type Handlers, type RequestContext } from '#server/admin/context.ts';
import { checkAccount } from './account.ts';
import { CHECKS } from './checks.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { inOrder, type Found } from './found.ts';
import { createAttentionNotices } from './notices.ts';
import { removeSnooze, snoozesOf, writeSnooze } from './snoozes.ts';
import { checkOrganization } from './organization.ts';
import { createWatch, type Watch } from './watch.ts';

export { removeOldSnoozes } from './snoozes.ts';

export interface Attention {
  readonly handlers: Handlers<typeof attention>;
  /** The job: runs the checks whose time has come, and raises notices of what they found. */
  run(): Promise<void>;
  /** Counts of the items in memory, for `/metrics`; reads no table. */
  counts(): { kind: string; severity: string; count: number }[];
  close(): void;
}

export function createAttention(dependencies: AttentionDependencies): Attention {
  const watch = createWatch(dependencies);
  const notices = createAttentionNotices(dependencies, watch);
  return {
    handlers: {
      list: (_, context) => viewFor(dependencies, watch, context),
      snooze: async ({ body: { id, mark, is_snoozed } }, context) => {
        const { store } = dependencies;
        const caller = callerOf(context);
        if (!is_snoozed) {
          await removeSnooze(store, caller.id, id);
          return null;
        }
        const item = (await itemsFor(dependencies, watch, context)).find((each) => each.id === id);
        if (item?.mark !== mark) throw new AppError('not_found');
        await writeSnooze(store, { userId: caller.id, item: id, mark, now: nowSeconds(dependencies) });
        return null;
      },
    },
    async run() {
      await watch.run();
      await notices.run();
    },
    counts() {
      const counted = new Map<string, { kind: string; severity: string; count: number }>();
      for (const { kind, severity } of watch.items) {
        const key = `${kind} ${severity}`;
        const known = counted.get(key);
        if (known === undefined) counted.set(key, { kind, severity, count: 1 });
        else known.count += 1;
      }
      return [...counted.values()];
    },
    close: () => watch.close(),
  };
}

const maySee = (caller: Caller, access: 'admin' | 'root'): boolean =>
  access === 'root' ? isRoot(caller.role) : isAdmin(caller.role);

/** A late check is seen by those who see what it finds. */
function isFor(caller: Caller, item: Found): boolean {
  if (item.kind === 'check_late') return maySee(caller, item.id === 'check_late:root' ? 'root' : 'admin');
  const { access } = ATTENTION_KINDS[item.kind];
  return (access === 'admin' || access === 'root') && maySee(caller, access);
}

async function itemsFor(
  dependencies: AttentionDependencies,
  watch: Watch,
  context: RequestContext,
): Promise<Found[]> {
  // In an organization nothing of the site and nothing of the person.
  if (context.organization !== undefined)
    return await checkOrganization(dependencies, context.organization, context);
  const caller = callerOf(context);
  const own = checkAccount(dependencies, caller.id);
  if (!isAdmin(caller.role)) return await own;
  await watch.run();
  return [...watch.items.filter((item) => isFor(caller, item)), ...(await own)];
}

async function viewFor(
  dependencies: AttentionDependencies,
  watch: Watch,
  context: RequestContext,
): Promise<AttentionView> {
  const caller = callerOf(context);
  const isOfSite = context.organization === undefined && isAdmin(caller.role);
  const [all, snoozes] = await Promise.all([
    itemsFor(dependencies, watch, context),
    snoozesOf(dependencies.store, caller.id),
  ]);
  const items = all
    .toSorted(inOrder)
    .map((item): AttentionItem => ({ ...item, is_snoozed: snoozes.get(item.id) === item.mark }))
    .toSorted((left, right) => Number(left.is_snoozed) - Number(right.is_snoozed));
  const checks: AttentionView['checks'] = [
    ...(isOfSite ? watch.states() : [])
      .filter(({ name }) => maySee(caller, CHECKS[name].access))
      .map(({ name, ranAt, isLate, facts }) => ({ name, ran_at: ranAt, is_late: isLate, values: facts })),
    {
      name: context.organization === undefined ? 'account' : 'organization',
      ran_at: nowSeconds(dependencies),
      is_late: false,
      values: {},
    },
  ];
  return {
    items,
    ...countsOf(items),
    checks,
    checked_at: Math.min(...checks.map(({ ran_at }) => ran_at)),
  };
}

function countsOf(items: readonly AttentionItem[]): Pick<AttentionView, 'counts' | 'total'> {
  const counts: AttentionView['counts'] = {};
  const total = { stop: 0, act: 0, wait: 0, snoozed: 0 };
  for (const { severity, menu, is_snoozed } of items) {
    if (is_snoozed) {
      total.snoozed += 1;
      continue;
    }
    total[severity] += 1;
    if (severity === 'wait') continue;
    const count = (counts[menu] ??= { stop: 0, act: 0 });
    count[severity] += 1;
  }
  return { counts, total };
}
