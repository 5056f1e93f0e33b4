// Which budgets apply to a call: those of its organization, project, member, key and tags, as far as they count its model. Kept in
// memory for each organization, and read again when one of its budgets has changed. The ledger checks the counters.
import { BUDGET_VALUES_MAX } from '#contract/admin/organization-budgets.ts';
import type { BudgetZones } from '#contract/money/budget-windows.ts';
import { unixSeconds } from '#contract/time.ts';
import { openCounter } from '#server/money/ledger/budget-counters.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { counterList } from '#server/money/ledger/engine/budgets.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { listAllows } from '#server/relay/caller/model-list.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Tags } from '#server/relay/request/tags.ts';

/** What of a call is kept with its hold and its log row. */
export interface Attribution {
  /** The counters of the budgets that apply, as the ledger writes them. */
  readonly budgets: string;
  /** The tags that the organization keeps, as JSON; blank: none. */
  readonly tags: string;
}

export const NO_ATTRIBUTION: Attribution = { budgets: '', tags: '' };

/** For the sentence of a refusal. */
export interface RefusingBudget {
  readonly name: string;
  /** Whom to ask for more. */
  readonly owners: string;
  readonly isTotal: boolean;
}

export interface BudgetBook {
  /** `tags` is asked only for a call of an organization that has budgets or keeps tags. */
  attribute(caller: Caller, model: string, tags: () => Tags): Attribution | Promise<Attribution>;
  refusing(caller: Caller, counterId: number): Promise<RefusingBudget | undefined>;
  close(): void;
}

interface KnownBudget extends Pick<
  Row<'budgets'>,
  'id' | 'organization_id' | 'name' | 'period' | 'is_hard' | 'quota' | 'tag_value'
> {
  /** Undefined: every model. */
  models: ReadonlySet<string> | undefined;
  /** Of a budget that has one counter. */
  counterId: number | undefined;
  /** By value of the tag. */
  counters: Map<string, number>;
}

interface KnownOrganization {
  id: number;
  tagKeys: readonly string[];
  /** By subject, such as `project:5` or `tag:team`. */
  budgets: ReadonlyMap<string, readonly KnownBudget[]>;
  owners: string;
}

const MOST_KNOWN = 10_000;

export function createBudgetBook(store: Store, settings: SettingsReader): BudgetBook {
  const known = new Map<number, KnownOrganization>();
  // Incremented by every announcement: what was read before it must not be kept after it.
  let version = 0;
  const forget = (detail: string | undefined): void => {
    version += 1;
    if (detail === undefined) known.clear();
    else known.delete(Number(detail));
  };
  const stops = [
    store.changes.subscribe('budgets', forget),
    store.changes.subscribe('organizations', forget),
  ];

  async function load(id: number): Promise<KnownOrganization> {
    const readAt = version;
    const organization = await readOrganization(store, id);
    if (readAt === version) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(id, organization);
    }
    return organization;
  }

  const zones = (): Promise<BudgetZones> =>
    readBudgetZones(store, settings.current.SiteTimeZone, unixSeconds());

  return {
    attribute(caller, model, tags) {
      const { organization } = caller;
      if (organization === undefined) return NO_ATTRIBUTION;
      const book = known.get(organization.id);
      const call = { caller, model, tags };
      return book === undefined
        ? load(organization.id).then((loaded) => attributed({ store, zones }, loaded, call))
        : attributed({ store, zones }, book, call);
    },
    async refusing({ organization }, counterId) {
      if (organization === undefined) return undefined;
      const counter = await store.db
        .selectFrom('budget_counters')
        .select(['name', 'value', 'period'])
        .where('id', '=', counterId)
        .executeTakeFirst();
      if (counter === undefined) return undefined;
      const { owners } = known.get(organization.id) ?? (await load(organization.id));
      const { name, value, period } = counter;
      return { name: value === '' ? name : `${name} (${value})`, owners, isTotal: period === 'total' };
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

interface Parts {
  store: Store;
  zones: () => Promise<BudgetZones>;
}

interface AskedCall {
  caller: Caller;
  model: string;
  tags: () => Tags;
}

function attributed(
  parts: Parts,
  organization: KnownOrganization,
  { caller, model, tags }: AskedCall,
): Attribution | Promise<Attribution> {
  const { budgets, tagKeys } = organization;
  if (budgets.size === 0 && tagKeys.length === 0) return NO_ATTRIBUTION;
  const ids: number[] = [];
  const take = (subject: string): void => {
    for (const budget of budgets.get(subject) ?? [])
      if (budget.counterId !== undefined && countsModel(budget, model)) ids.push(budget.counterId);
  };
  const { projectId, memberId } = caller.organization ?? { projectId: 0, memberId: 0 };
  take('organization');
  take(`project:${projectId}`);
  if (memberId > 0) take(`member:${memberId}`);
  take(`token:${caller.tokenId}`);
  if (tagKeys.length === 0) return { budgets: counterList(ids), tags: '' };

  const kept = keptTags(tags(), tagKeys);
  const pending: Promise<number | undefined>[] = [];
  for (const [key, value] of kept)
    for (const budget of budgets.get(`tag:${key}`) ?? []) {
      if (!countsModel(budget, model)) continue;
      if (budget.tag_value !== '') {
        if (budget.tag_value === value && budget.counterId !== undefined) ids.push(budget.counterId);
        continue;
      }
      const counter = budget.counters.get(value);
      if (counter === undefined) pending.push(counterOfValue(parts, budget, value));
      else ids.push(counter);
    }
  const text = kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
  if (pending.length === 0) return { budgets: counterList(ids), tags: text };
  return Promise.all(pending).then((more) => {
    const all = [...ids, ...more.filter((id) => id !== undefined)];
    return { budgets: counterList(all), tags: text };
  });
}

const keptTags = (tags: Tags, keys: readonly string[]): [string, string][] =>
  keys.flatMap((key): [string, string][] => {
    const value = Object.hasOwn(tags, key) ? tags[key] : undefined;
    return value === undefined ? [] : [[key, value]];
  });

const countsModel = ({ models }: KnownBudget, model: string) =>
  models === undefined || listAllows(models, model);

/** The counter of the tag's value, which the first call with it makes. Undefined: a soft budget that counts no more values. */
async function counterOfValue(
  { store, zones }: Parts,
  budget: KnownBudget,
  value: string,
): Promise<number | undefined> {
  const found = await store.db
    .selectFrom('budget_counters')
    .select('id')
    .where('budget_id', '=', budget.id)
    .where('value', '=', value)
    .executeTakeFirst();
  const id = found?.id ?? (await newCounter(store, budget, value, await zones()));
  if (id !== undefined) budget.counters.set(value, id);
  return id;
}

async function newCounter(
  store: Store,
  budget: KnownBudget,
  value: string,
  zones: BudgetZones,
): Promise<number | undefined> {
  const { total } = await store.db
    .selectFrom('budget_counters')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('budget_id', '=', budget.id)
    .executeTakeFirstOrThrow();
  if (total >= BUDGET_VALUES_MAX) {
    if (budget.is_hard === 0) return undefined;
    throw new RelayError('budget_values_full', { name: budget.name, limit: BUDGET_VALUES_MAX });
  }
  return await openCounter(store.db, budget, value, { zones, now: unixSeconds() });
}

async function readOrganization({ db }: Store, id: number): Promise<KnownOrganization> {
  const [organization, rows, counters, owners] = await Promise.all([
    db.selectFrom('organizations').select('tag_keys').where('id', '=', id).executeTakeFirst(),
    db
      .selectFrom('budgets')
      .selectAll()
      .where('organization_id', '=', id)
      .where('ended_at', '=', 0)
      .execute(),
    db
      .selectFrom('budget_counters')
      .select(['id', 'budget_id'])
      .where('organization_id', '=', id)
      .where('value', '=', '')
      .execute(),
    db
      .selectFrom('organization_members')
      .innerJoin('users', 'users.id', 'organization_members.user_id')
      .select('users.username')
      .where('organization_members.organization_id', '=', id)
      .where('organization_members.left_at', '=', 0)
      .where('organization_members.role', '=', 'owner')
      .orderBy('organization_members.id')
      .limit(3)
      .execute(),
  ]);
  const counterOf = new Map(counters.map((row) => [row.budget_id, row.id]));
  const budgets = Map.groupBy(rows, subjectKey);
  const tagKeys = organization?.tag_keys ?? '';
  return {
    id,
    tagKeys: tagKeys === '' ? [] : tagKeys.split(','),
    budgets: new Map(
      [...budgets].map(([key, list]) => [
        key,
        list.map((row) => ({
          ...row,
          models: row.models === '' ? undefined : new Set(row.models.split(',')),
          counterId: counterOf.get(row.id),
          counters: new Map<string, number>(),
        })),
      ]),
    ),
    owners: owners.map(({ username }) => username).join(', '),
  };
}

function subjectKey({ subject, subject_id, tag_key }: Row<'budgets'>): string {
  if (subject === 'organization') return subject;
  return `${subject}:${subject === 'tag' ? tag_key : subject_id}`;
}
