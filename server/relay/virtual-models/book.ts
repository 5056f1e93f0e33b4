// The virtual models that callers can name, compiled once for each change: a call of a plain model costs one look into a map.
import type { Log } from '#contract/context.ts';
import type { VirtualTarget } from '#contract/relay/virtual-models.ts';
import type { FallbackKind } from '#contract/relay/virtual-reasons.ts';
import { reloadInTurn } from '#server/platform/store/reload.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { compileConditions, type Condition } from './conditions.ts';

export interface CompiledTarget {
  readonly model: string;
  /** Undefined: the setting for all calls. */
  readonly firstTokenSeconds: number | undefined;
  readonly fallBackOn: ReadonlySet<FallbackKind>;
  /** All must hold. */
  readonly conditions: readonly Condition[];
}

export interface VirtualModel {
  readonly name: string;
  /** Calls are priced as this name, not as the model that answers. */
  readonly hasOwnPrice: boolean;
  /** The body of an answer names the model that answered. */
  readonly namesAnswered: boolean;
  /** Some condition asks what the caller can still spend, which is read from the database. */
  readonly asksBudget: boolean;
  /** A late stream gets a second attempt at the same target. */
  readonly isHedged: boolean;
  readonly targets: readonly CompiledTarget[];
}

export interface VirtualModels {
  /** By name; only those that are on. */
  readonly current: ReadonlyMap<string, VirtualModel>;
  reload(): Promise<void>;
  close(): void;
}

export async function openVirtualModels(store: Store, log: Log): Promise<VirtualModels> {
  let current = await load(store);
  const reload = reloadInTurn(async () => {
    current = await load(store);
  });
  const close = store.changes.subscribe('virtual_models', async () => {
    await reload().catch((error: unknown) => log.error('virtual models could not be reloaded', { error }));
  });
  return {
    get current() {
      return current;
    },
    reload,
    close,
  };
}

async function load({ db }: Store): Promise<ReadonlyMap<string, VirtualModel>> {
  const rows = await db.selectFrom('virtual_models').selectAll().where('enabled', '=', 1).execute();
  return new Map(rows.map((row) => [row.name, compile(row)]));
}

export function compile({
  name,
  price,
  body_model,
  hedge,
  targets: text,
}: Pick<Row<'virtual_models'>, 'name' | 'price' | 'body_model' | 'hedge' | 'targets'>): VirtualModel {
  const targets = JSON.parse(text) as VirtualTarget[];
  let shareFrom = 0;
  return {
    name,
    hasOwnPrice: price === 'own',
    namesAnswered: body_model === 'answered',
    asksBudget: targets.some(({ when }) => when.budget_below !== undefined),
    isHedged: hedge === 1,
    targets: targets.map(({ model, when, fall_back_on, first_token_seconds }) => {
      const conditions = compileConditions(when, shareFrom);
      shareFrom += when.share_percent ?? 0;
      return {
        model,
        firstTokenSeconds: first_token_seconds,
        fallBackOn: new Set(fall_back_on),
        conditions,
      };
    }),
  };
}
