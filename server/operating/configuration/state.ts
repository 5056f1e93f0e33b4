// What a configuration file and an installation are compared by: items with fields. A secret is a keyed digest, so that it can
// be compared and is never shown.

export const ITEM_KINDS = [
  'settings',
  'groups',
  'prices',
  'suppliers',
  'channels',
  'virtual_models',
  'plans',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export interface Item {
  kind: ItemKind;
  /** The second of two channels with the same name is `name #2`. */
  name: string;
  fields: Readonly<Record<string, unknown>>;
}

/** By kind and name. */
export type State = ReadonlyMap<string, Item>;

export interface Difference {
  kind: ItemKind;
  name: string;
  /** `add` and `change`: applying the file does it. `extra`: only the installation has it. */
  change: 'add' | 'change' | 'extra';
  /** Names of the fields that differ. */
  fields: string[];
  /** Of a change, by field; a secret is its digest. */
  values?: Readonly<Record<string, { before: unknown; after: unknown }>>;
}

export const itemKey = ({ kind, name }: Pick<Item, 'kind' | 'name'>): string => `${kind} ${name}`;

export function stateOf(items: readonly Item[]): State {
  return new Map(items.map((item) => [itemKey(item), item]));
}

/** Same names get a number, in order; not one that is another row's own name. */
export function numberedNames<Row extends { name: string }>(
  rows: readonly Row[],
): (Row & { item: string })[] {
  const names = new Set(rows.map(({ name }) => name));
  const used = new Set<string>();
  return rows.map((row) => {
    let item = row.name;
    for (let number = 2; used.has(item) || (number > 2 && names.has(item)); number += 1)
      item = `${row.name} #${number}`;
    used.add(item);
    return { ...row, item };
  });
}

/** Objects with the same members in another order are equal. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}

/**
 * Fields that the wanted item does not name are not compared: a secret whose variable is not set. Of kinds that the file
 * does not have, nothing is extra.
 */
export function differencesOf(wanted: State, current: State, kinds: ReadonlySet<ItemKind>): Difference[] {
  const differences: Difference[] = [];
  for (const [key, { kind, name, fields }] of wanted) {
    const found = current.get(key);
    if (found === undefined) {
      differences.push({ kind, name, change: 'add', fields: Object.keys(fields) });
      continue;
    }
    const changed = Object.keys(fields).filter(
      (field) => canonical(fields[field]) !== canonical(found.fields[field]),
    );
    if (changed.length === 0) continue;
    const values = Object.fromEntries(
      changed.map((field) => [field, { before: found.fields[field], after: fields[field] }]),
    );
    differences.push({ kind, name, change: 'change', fields: changed, values });
  }
  for (const [key, { kind, name, fields }] of current)
    if (kinds.has(kind) && !wanted.has(key) && fields['is_default'] !== true)
      differences.push({ kind, name, change: 'extra', fields: [] });
  return differences;
}
