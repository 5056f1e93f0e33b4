// The comparisons that are on, by the name that callers ask for: a call of any other name costs one look into a map.
import type { Log } from '#contract/context.ts';
import type { ShadowFields } from '#contract/relay/shadow-calls.ts';
import { reloadInTurn } from '#server/platform/store/reload.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export type Shadow = Omit<ShadowFields, 'enabled'> & { readonly id: number };

export interface ShadowBook {
  readonly current: ReadonlyMap<string, readonly Shadow[]>;
  close(): void;
}

/** The columns of a row as the fields of the contract. */
export const shadowFieldsOf = ({
  name,
  enabled,
  model,
  target_model,
  rules,
}: Row<'shadows'>): ShadowFields => ({
  ...(JSON.parse(rules) as Omit<ShadowFields, 'name' | 'enabled' | 'model' | 'target_model'>),
  name,
  enabled: enabled === 1,
  model,
  target_model,
});

export async function openShadowBook(store: Store, log: Log): Promise<ShadowBook> {
  let current = await load(store);
  const reload = reloadInTurn(async () => {
    current = await load(store);
  });
  const close = store.changes.subscribe('shadows', async () => {
    await reload().catch((error: unknown) => log.error('comparisons could not be reloaded', { error }));
  });
  return {
    get current() {
      return current;
    },
    close,
  };
}

async function load({ db }: Store): Promise<ReadonlyMap<string, readonly Shadow[]>> {
  const rows = await db.selectFrom('shadows').selectAll().where('enabled', '=', 1).orderBy('id').execute();
  return Map.groupBy(
    rows.map((row) => ({ ...shadowFieldsOf(row), id: row.id })),
    ({ model }) => model,
  );
}

/** Whether calls of the group are copied now. */
export function isOpen({ groups, from, until }: Shadow, group: string, now: number): boolean {
  if (groups.length > 0 && !groups.includes(group)) return false;
  return now >= from && (until === 0 || now < until);
}
