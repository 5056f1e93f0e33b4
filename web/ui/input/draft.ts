/**
 * Unsaved values of forms, kept in the session storage of the tab: a reload or an expired session does not lose them. Fields in
 * `except` are never kept: secrets, and amounts of money, which a second save after a lost answer would book again.
 */
const PREFIX = 'draft:';
const OWNER = 'draft-owner';

export interface DraftOptions<Name extends string = string> {
  /** Names the form and the edited object, such as `token:12`. */
  name: string;
  except?: readonly Name[];
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps the fields that differ from the loaded values; without a difference there is no draft. */
export function writeDraft(
  { name, except = [] }: DraftOptions,
  changes: Readonly<Record<string, unknown>>,
  store: Store = sessionStorage,
): void {
  const kept = Object.entries(changes).filter(([field]) => !except.includes(field));
  if (kept.length === 0) store.removeItem(PREFIX + name);
  else store.setItem(PREFIX + name, JSON.stringify(Object.fromEntries(kept)));
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

function readKept(name: string, store: Store): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(store.getItem(PREFIX + name) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The kept fields that the form still has, with values of the same kind; undefined when nothing is kept. */
export function readDraft<Values extends object>(
  { name, except = [] }: DraftOptions,
  initial: Values,
  store: Store = sessionStorage,
): Partial<Values> | undefined {
  const kept = readKept(name, store);
  const found = Object.entries(initial)
    .filter(([field, value]) => !except.includes(field) && kindOf(kept[field]) === kindOf(value))
    .map(([field]) => [field, kept[field]]);
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Partial<Values>);
}

/** For a form whose fields are texts and are not known yet. */
export function readTextDraft(name: string, store: Store = sessionStorage): Record<string, string> {
  const texts = Object.entries(readKept(name, store)).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Of the draft: the values that its changes began with. */
export const baseName = (name: string): string => `${name}:base`;

export function removeDraft(name: string, store: Store = sessionStorage): void {
  store.removeItem(PREFIX + name);
  store.removeItem(PREFIX + baseName(name));
}

export function removeDrafts(store: Storage = sessionStorage): void {
  for (const key of Object.keys(store)) if (key.startsWith(PREFIX)) store.removeItem(key);
}

/** At the start and at every sign-in: drafts of another user, or of another of their accounts, are removed. */
export function keepDraftsOf(
  userId: number,
  organizationId: number | undefined,
  store: Storage = sessionStorage,
): void {
  const owner = organizationId === undefined ? String(userId) : `${userId}/${organizationId}`;
  if (store.getItem(OWNER) === owner) return;
  removeDrafts(store);
  store.setItem(OWNER, owner);
}
