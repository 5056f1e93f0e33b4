/** The state of the settings form: drafts, stored values, problems, and the save of each changed option. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { portForcesTls, type OptionField } from '#contract/options.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { chosenValue, differencesOf, textOf } from '#web/ui/conflict/differences.ts';
import { askConflict } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { baseName, readTextDraft, writeDraft } from '#web/ui/input/draft.ts';
import { useRefusal, type Refusal } from '#web/ui/input/refusal.tsx';
import { confirmRisks } from './confirm-risks.ts';
import { changedFields, inSavingOrder, parsed, problemOf, type Texts } from './draft.ts';
import { controlId } from './ids.ts';
import { OPTIONS_KEY, optionQueries } from './queries.ts';
import { sectionsOf, type Section } from './sections.ts';

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

type Failure = { field: OptionField; error: unknown };
/** By key: what the draft began with; of a secret its version. */
type Bases = Texts;
/** Parts of the content that the sanitiser removed. */
type Removal = { field: OptionField; what: readonly string[] };

/** Saved one by one; a failure does not undo the others. */
async function saveAll(
  fields: readonly OptionField[],
  texts: Texts,
  bases: Bases,
): Promise<{ failures: Failure[]; removals: Removal[] }> {
  const failures: Failure[] = [];
  const removals: Removal[] = [];
  for (const field of inSavingOrder(fields)) {
    try {
      const { key } = field;
      const body = { key, value: texts[key] ?? '', based_on: bases[key] };
      const saved = await api.options.save({ body });
      if (saved) removals.push({ field, what: saved.removed });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw error;
      failures.push({ field, error });
    }
  }
  return { failures, removals };
}

/** Asks about the options that another person changed meanwhile and saves what was chosen, until nothing is left to ask. */
async function saveResolving(
  fields: readonly OptionField[],
  texts: Texts,
  bases: Bases,
): Promise<{ failures: Failure[]; removals: Removal[] }> {
  const first = await saveAll(fields, texts, bases);
  const differences = first.failures.flatMap(({ field: { key, label }, error }) => {
    if (!(error instanceof ApiError) || error.conflict === undefined) return [];
    const body = { [key]: texts[key], based_on: { [key]: bases[key] } };
    return differencesOf(error.conflict, body, () => label[currentLanguage()]);
  });
  const choices = differences.length === 0 ? undefined : await askConflict(differences);
  if (choices === undefined) return first;
  const isConflict = ({ field }: Failure) => differences.some((each) => each.field === field.key);
  const again = differences.filter(({ field }) => choices.get(field) !== 'theirs');
  const chosen = again.map((each) => [
    each.field,
    textOf(chosenValue(each, choices.get(each.field) ?? 'theirs')),
  ]);
  const newBases = again.map(({ field, isSecret, theirs }) => [field, isSecret ? undefined : textOf(theirs)]);
  const second = await saveResolving(
    fields.filter(({ key }) => again.some(({ field }) => field === key)),
    Object.fromEntries(chosen) as Texts,
    Object.fromEntries(newBases) as Bases,
  );
  return {
    failures: [...first.failures.filter((failure) => !isConflict(failure)), ...second.failures],
    removals: [...first.removals, ...second.removals],
  };
}

const REMOVED_NAMED = 6;

const CONTENT_KEYS = ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'] as const;
/** The name of the draft that survives a reload; secrets are not in it. */
export const DRAFT_NAME = 'settings';
const NO_FIELDS: readonly OptionField[] = [];
const NO_TEXTS: Texts = {};

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
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const list = useQuery({ ...optionQueries.list(), enabled });
  const registry = useQuery({ ...optionQueries.registry(), enabled });
  const [drafts, setDrafts] = useState<Texts>(() => (enabled ? readTextDraft(DRAFT_NAME) : NO_TEXTS));
  const [bases, setBases] = useState<Bases>(() => (enabled ? readTextDraft(baseName(DRAFT_NAME)) : NO_TEXTS));
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set());

  const fields = registry.data ?? NO_FIELDS;
  const refusal = useRefusal(fields.map(({ key }) => key));
  const saved = useMemo(
    () => Object.fromEntries((list.data?.data ?? []).map(({ key, value }) => [key, value])) as Texts,
    [list.data],
  );
  const sections = useMemo(() => sectionsOf(fields), [fields]);
  useEffect(() => {
    // Before the registry is there it is not known which texts are secrets.
    if (fields.length === 0) return;
    const except = fields.filter(({ kind }) => kind === 'secret').map(({ key }) => key);
    writeDraft({ name: DRAFT_NAME, except }, drafts);
    writeDraft({ name: baseName(DRAFT_NAME), except }, bases);
  }, [fields, drafts, bases]);
  const changed = useMemo(() => changedFields(fields, saved, drafts), [fields, saved, drafts]);

  const text = (key: string) => drafts[key] ?? saved[key] ?? '';
  const problem = (field: OptionField) => problemOf(field, text(field.key), text('ServerAddress'));

  const sentence = (field: OptionField) => {
    const found = problem(field);
    if (found !== 'json') return found ? t(`problem.${found}`) : undefined;
    const line = brokenLine(text(field.key));
    return line === undefined ? t('problem.json') : t('problem.jsonLine', { line });
  };

  const saving = useMutation({
    ...refusal.mutation,
    // On a slow network the user types on meanwhile: what was sent is not what the drafts are afterwards.
    mutationFn: async () => ({
      ...(await saveResolving(changed, drafts, bases)),
      sent: changed,
      texts: drafts,
    }),
    onSuccess: async ({ failures, removals, sent, texts }) => {
      const failed = new Set(failures.map(({ field }) => field.key));
      const done = sent.filter(({ key }) => !failed.has(key));
      // Refetch before clearing the drafts, so that no field shows its old value for a moment.
      await client.invalidateQueries({ queryKey: OPTIONS_KEY });
      void client.invalidateQueries({ queryKey: ['status'] });
      void client.invalidateQueries({ queryKey: ['site'] });
      const isKept = ([key, typed]: [string, string]) => failed.has(key) || typed !== texts[key];
      const kept = Object.fromEntries(Object.entries(drafts).filter(isKept));
      setDrafts((before) => Object.fromEntries(Object.entries(before).filter(isKept)));
      setBases((before) =>
        Object.fromEntries(Object.entries(before).filter(([key]) => Object.hasOwn(kept, key))),
      );
      setTried(new Set());
      if (failures.length > 0) refusal.show(failures.map(({ error }) => error));
      const content = CONTENT_KEYS.filter((key) => done.some((field) => field.key === key));
      for (const key of content) toast.success(t(`message.updated.${key}`));
      if (failures.length === 0 && content.length < done.length) toast.success(t('message.saved'));
      for (const { field, what } of removals) {
        const named = what.slice(0, REMOVED_NAMED).join(' ') + (what.length > REMOVED_NAMED ? ' …' : '');
        toast.warning(t('message.removed', { label: field.label[currentLanguage()], what: named }));
      }
      if (failures.length > 0) toast.error(t(done.length === 0 ? 'message.failed' : 'message.partlyFailed'));
    },
  });

  const saveIfSure = async () => {
    try {
      if (!(await confirmRisks(saved, drafts))) return;
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
    const wrong = changed.find((field) => problem(field) !== undefined);
    if (!wrong) {
      isBusy.current = true;
      void saveIfSure().finally(() => {
        isBusy.current = false;
      });
      return;
    }
    setTried(new Set(changed.map(({ key }) => key)));
    // On another tab the field is not there.
    const control = document.getElementById(controlId(wrong.key));
    control?.scrollIntoView({ block: 'center' });
    control?.focus({ preventScroll: true });
    const kind = problem(wrong);
    const label = wrong.label[currentLanguage()];
    if (kind === 'server-address') toast.error(t('problem.server-address'));
    else if (kind === 'json') toast.error(t('problem.jsonNamed', { label }));
    else toast.error(t('message.checkInput'));
  };

  const form: OptionsForm = {
    fields,
    sections,
    saved,
    secrets: list.data?.secrets ?? {},
    text,
    set: (texts) => {
      const next = { ...texts, ...forcedBy(texts) };
      setDrafts((before) => ({ ...before, ...next }));
      // The first change of an option: what it began with. A refetch meanwhile does not change it.
      const started = Object.keys(next).filter((key) => drafts[key] === undefined);
      const begun = started.map((key) => [key, list.data?.secret_versions[key] ?? saved[key]]);
      setBases((before) => ({ ...before, ...(Object.fromEntries(begun) as Bases) }));
      for (const key of Object.keys(texts)) refusal.clear(key);
    },
    discard: (key) => {
      refusal.clear();
      const without = (before: Texts) =>
        key === undefined
          ? NO_TEXTS
          : Object.fromEntries(Object.entries(before).filter(([name]) => name !== key));
      setDrafts(without);
      setBases(without);
    },
    isChanged: (key) => changed.some((field) => field.key === key),
    changed,
    errorOf: (key) => {
      const field = fields.find((candidate) => candidate.key === key);
      if (!field || drafts[key] === undefined) return refusal.errorOf(key);
      // JSON is checked while the user types, the rest after the first try to save.
      const live = field.kind === 'json' && parsed(text(key)) === undefined;
      return (tried.has(key) || live ? sentence(field) : undefined) ?? refusal.errorOf(key);
    },
    refusal,
    save,
    isSaving: saving.isPending,
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

/** Options the server changes together with these. */
function forcedBy(texts: Texts): Texts {
  return portForcesTls(texts['SMTPPort']) ? { SMTPSSLEnabled: 'true' } : NO_TEXTS;
}
