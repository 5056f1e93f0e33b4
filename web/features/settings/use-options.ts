/** The state of the settings form: drafts, stored values, problems, and the save of each changed option. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionField } from '#contract/options.ts';
import { errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useRefusal, type Refusal } from '#web/ui/input/refusal.tsx';
import { confirmRisks } from './confirm-risks.ts';
import { changedFields, parsed, problemOf, type Texts } from './draft.ts';
import { controlId } from './ids.ts';
import { OPTIONS_KEY, optionQueries } from './queries.ts';
import { saveResolving, type Failure, type Removal } from './save-options.ts';
import { sectionsOf, type Section } from './sections.ts';
import { useDrafts, type Drafts } from './use-drafts.ts';

export interface OptionsForm {
  fields: readonly OptionField[];
  sections: readonly Section[];
  /** As stored; nothing for secrets. */
  saved: Texts;
  /** Whether each secret is set. */
  secrets: Readonly<Record<string, boolean>>;
  /** The text of the field: the draft, else the stored value. */
  text: (key: string) => string;
  set: (texts: Texts) => void;
  discard: (key?: string) => void;
  isChanged: (key: string) => boolean;
  changed: readonly OptionField[];
  errorOf: (key: string) => string | undefined;
  refusal: Refusal;
  save: () => void;
  isSaving: boolean;
}

const REMOVED_NAMED = 6;

const CONTENT_KEYS = ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'] as const;
const NO_FIELDS: readonly OptionField[] = [];

/** The line of a JSON syntax error, from the browser's message. */
function brokenLine(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = errorMessage(error);
    const line = /line (\d+)/.exec(message)?.[1];
    if (line !== undefined) return Number(line);
    const position = /position (\d+)/.exec(message)?.[1];
    return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
  }
}

export function useOptions(enabled: boolean): {
  form: OptionsForm | undefined;
  error: unknown;
  retry: () => void;
} {
  const list = useQuery({ ...optionQueries.list(), enabled });
  const registry = useQuery({ ...optionQueries.registry(), enabled });
  const fields = registry.data ?? NO_FIELDS;
  const drafts = useDrafts(enabled, fields);
  const refusal = useRefusal(fields.map(({ key }) => key));
  const saved = useMemo(
    () => Object.fromEntries((list.data?.data ?? []).map(({ key, value }) => [key, value])) as Texts,
    [list.data],
  );
  const sections = useMemo(() => sectionsOf(fields), [fields]);
  const changed = useMemo(() => changedFields(fields, saved, drafts.texts), [fields, saved, drafts.texts]);
  const text = (key: string) => drafts.texts[key] ?? saved[key] ?? '';
  const problems = useProblems(text);
  const { save, isSaving, tried } = useSave({ drafts, saved, changed, refusal, problems });
  const form: OptionsForm = {
    fields,
    sections,
    saved,
    secrets: list.data?.secrets ?? {},
    text,
    set: (texts) => {
      drafts.set(texts, (key) => list.data?.secret_versions[key] ?? saved[key]);
      for (const key of Object.keys(texts)) refusal.clear(key);
    },
    discard: (key) => {
      refusal.clear();
      drafts.discard(key);
    },
    isChanged: (key) => changed.some((field) => field.key === key),
    changed,
    errorOf: (key) => {
      const field = fields.find((candidate) => candidate.key === key);
      if (!field || drafts.texts[key] === undefined) return refusal.errorOf(key);
      // JSON is checked while the user types, the rest after the first try to save.
      const live = field.kind === 'json' && parsed(text(key)) === undefined;
      return (tried.has(key) || live ? problems.sentenceOf(field) : undefined) ?? refusal.errorOf(key);
    },
    refusal,
    save,
    isSaving,
  };
  return {
    form: list.data && registry.data ? form : undefined,
    error: list.error ?? registry.error,
    retry: () => {
      void list.refetch();
      void registry.refetch();
    },
  };
}

function useProblems(text: (key: string) => string) {
  const { t } = useTranslation('settings');
  const kindOf = (field: OptionField) => problemOf(field, text(field.key), text('ServerAddress'));
  return {
    kindOf,
    sentenceOf: (field: OptionField) => {
      const found = kindOf(field);
      if (found !== 'json') return found ? t(`problem.${found}`) : undefined;
      const line = brokenLine(text(field.key));
      return line === undefined ? t('problem.json') : t('problem.jsonLine', { line });
    },
    /** Shows the first wrong field. */
    point: (field: OptionField) => {
      // On another tab the field is not there.
      const control = document.getElementById(controlId(field.key));
      control?.scrollIntoView({ block: 'center' });
      control?.focus({ preventScroll: true });
      const kind = kindOf(field);
      const label = field.label[currentLanguage()];
      if (kind === 'server-address') toast.error(t('problem.server-address'));
      else if (kind === 'json') toast.error(t('problem.jsonNamed', { label }));
      else toast.error(t('message.checkInput'));
    },
  };
}

interface SaveParts {
  drafts: Drafts;
  saved: Texts;
  changed: readonly OptionField[];
  refusal: Refusal;
  problems: ReturnType<typeof useProblems>;
}

function useSave({ drafts, saved, changed, refusal, problems }: SaveParts) {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const report = useReport();
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set());
  const saving = useMutation({
    ...refusal.mutation,
    // On a slow network the user types on meanwhile: what was sent is not what the drafts are afterwards.
    mutationFn: async () => ({
      ...(await saveResolving(changed, drafts.texts, drafts.bases)),
      sent: changed,
      texts: drafts.texts,
    }),
    onSuccess: async ({ failures, removals, sent, texts }) => {
      const failed = new Set(failures.map(({ field }) => field.key));
      // Refetch before clearing the drafts, so that no field shows its old value for a moment.
      await client.invalidateQueries({ queryKey: OPTIONS_KEY });
      void client.invalidateQueries({ queryKey: ['status'] });
      void client.invalidateQueries({ queryKey: ['site'] });
      drafts.keepOnly(([key, typed]) => failed.has(key) || typed !== texts[key]);
      setTried(new Set());
      if (failures.length > 0) refusal.show(failures.map(({ error }) => error));
      report(
        sent.filter(({ key }) => !failed.has(key)),
        failures,
        removals,
      );
    },
  });
  const saveIfSure = async () => {
    try {
      if (!(await confirmRisks(saved, drafts.texts))) return;
    } catch (error) {
      refusal.mutation.onError(error);
      return;
    }
    // The mutation shows its own error.
    await saving.mutateAsync().catch(() => undefined);
  };
  // From the press to the end: a second press may come before the page shows that it saves, or that it asks about risks.
  const isBusy = useRef(false);
  const save = () => {
    if (isBusy.current) return;
    if (changed.length === 0) {
      toast.warning(t('message.unchanged'));
      return;
    }
    const wrong = changed.find((field) => problems.kindOf(field) !== undefined);
    if (wrong) {
      setTried(new Set(changed.map(({ key }) => key)));
      problems.point(wrong);
      return;
    }
    isBusy.current = true;
    void saveIfSure().finally(() => {
      isBusy.current = false;
    });
  };
  return { save, isSaving: saving.isPending, tried };
}

/** Says what was saved, what was not, and what the sanitiser removed. */
function useReport() {
  const { t } = useTranslation('settings');
  return (done: readonly OptionField[], failures: readonly Failure[], removals: readonly Removal[]) => {
    const content = CONTENT_KEYS.filter((key) => done.some((field) => field.key === key));
    for (const key of content) toast.success(t(`message.updated.${key}`));
    if (failures.length === 0 && content.length < done.length) toast.success(t('message.saved'));
    for (const { field, what } of removals) {
      const named = what.slice(0, REMOVED_NAMED).join(' ') + (what.length > REMOVED_NAMED ? ' …' : '');
      toast.warning(t('message.removed', { label: field.label[currentLanguage()], what: named }));
    }
    if (failures.length > 0) toast.error(t(done.length === 0 ? 'message.failed' : 'message.partlyFailed'));
  };
}
