/** The changes of an open form that are not saved: the form asks before it closes and keeps a draft of them. */
import { useEffect, useRef, useState } from 'react';
import { getI18n } from 'react-i18next';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { baseName, removeDraft, writeDraft, type DraftOptions } from './draft.ts';

export interface Unsaved {
  /** How many fields differ from the loaded values, now. */
  count: () => number;
  /** True when a reload would lose a change because it is not in the draft. */
  isLostByReload: () => boolean;
  /** Removes the draft; the form then closes without a question. Call it after saving. */
  end: () => void;
}

export function changedNames<Values extends object>(
  values: Values,
  initial: Values,
): (keyof Values & string)[] {
  return (Object.keys(initial) as (keyof Values & string)[]).filter(
    (name) => JSON.stringify(values[name]) !== JSON.stringify(initial[name]),
  );
}

interface Compared<Values> {
  initial: Values;
  base: Values;
  /** Fields that are no work to lose. */
  unguarded?: readonly string[] | undefined;
}

const open = new Set<Unsaved>();

export function useUnsaved<Values extends object>(
  values: Values,
  { initial, base, unguarded = [] }: Compared<Values>,
  draft: DraftOptions | undefined,
): Unsaved {
  const hasEnded = useRef(false);
  const changed = useRef<readonly string[]>([]);
  const name = draft?.name;
  const isGuarded = useRef((field: string) => !unguarded.includes(field));
  const except = useRef(draft?.except ?? []);
  const [unsaved] = useState<Unsaved>(() => ({
    count: () => (hasEnded.current ? 0 : changed.current.length),
    isLostByReload: () =>
      !hasEnded.current &&
      changed.current.some((field) => name === undefined || except.current.includes(field)),
    end: () => {
      hasEnded.current = true;
      if (name !== undefined) removeDraft(name);
    },
  }));
  useEffect(() => {
    const names = changedNames(values, initial);
    changed.current = names.filter(isGuarded.current);
    if (name === undefined || hasEnded.current) return;
    const changes = Object.fromEntries(names.map((field) => [field, values[field]]));
    writeDraft({ name, except: except.current }, changes);
    const bases = Object.fromEntries(names.map((field) => [field, base[field]]));
    writeDraft({ name: baseName(name), except: except.current }, bases);
  }, [values, initial, base, name]);
  useEffect(() => {
    open.add(unsaved);
    return () => void open.delete(unsaved);
  }, [unsaved]);
  return unsaved;
}

/** True when there is nothing to lose or the user agreed to lose it. */
export async function mayDiscard(unsaved: Unsaved | undefined): Promise<boolean> {
  if (!unsaved || unsaved.count() === 0) return true;
  const { t } = getI18n();
  const sure = await confirm({
    title: t('unsaved.title', { ns: 'ui' }),
    body: t('unsaved.body', { ns: 'ui' }),
    confirmLabel: t('unsaved.discard', { ns: 'ui' }),
    cancelLabel: t('unsaved.keep', { ns: 'ui' }),
    danger: true,
  });
  if (sure) unsaved.end();
  return sure;
}

/** For actions that end all open forms without a change of the address, such as signing out. */
export async function mayDiscardAll(): Promise<boolean> {
  for (const unsaved of open) if (!(await mayDiscard(unsaved))) return false;
  return true;
}
