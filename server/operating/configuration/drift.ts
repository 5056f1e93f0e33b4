// What differs from the file that was applied last, for the console.
import type { ConfigurationDrift } from '#contract/options.ts';
import { readCurrent } from './current.ts';
import type { ConfigurationParts } from './parts.ts';
import { differencesOf, stateOf, type Item, type ItemKind } from './state.ts';

/** null: no file was ever applied. */
export async function configurationDrift({
  store,
  settings,
}: Pick<ConfigurationParts, 'settings'> & {
  store: Pick<ConfigurationParts['store'], 'db' | 'vault'>;
}): Promise<ConfigurationDrift | null> {
  const last = await store.db
    .selectFrom('applied_configurations')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return null;
  const { kinds, items } = JSON.parse(last.document) as { kinds: ItemKind[]; items: Item[] };
  const current = await readCurrent(store, settings.current);
  return {
    applied_at: last.applied_at,
    file: last.file,
    hash: last.hash,
    items: items.length,
    differences: differencesOf(stateOf(items), current.state, new Set(kinds)).map(
      ({ kind, name, change, fields }) => ({
        kind,
        name,
        // Seen from the installation: what the file would add is missing here.
        change: change === 'add' ? 'missing' : change === 'extra' ? 'added' : 'changed',
        fields,
      }),
    ),
  };
}
