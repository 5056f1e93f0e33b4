/** Saves the changed options one by one, and asks about those that another person changed meanwhile. */
import type { OptionField } from '#contract/options.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { chosenValue, differencesOf, textOf } from '#web/ui/conflict/differences.ts';
import { askConflict } from '#web/ui/feedback/dialog-store.ts';
import { inSavingOrder, type Texts } from './draft.ts';

export type Failure = { field: OptionField; error: unknown };
/** By key: what the draft began with; of a secret its version. */
export type Bases = Texts;
/** Parts of the content that the sanitiser removed. */
export type Removal = { field: OptionField; what: readonly string[] };

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
export async function saveResolving(
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
