/** The state of a form: values, and which problems to show yet. A problem shows once the user has left the field. */
import { useState } from 'react';
import { baseName, readDraft, type DraftOptions } from './draft.ts';
import { useRefusal, type Refusal } from './refusal.tsx';
import { changedNames, useUnsaved, type Unsaved } from './unsaved.ts';

type Name<Values> = keyof Values & string;

export interface Fields<Values> {
  values: Values;
  initial: Values;
  /** What the changes began with: the loaded values, for fields of a restored draft those it was made from. */
  base: Values;
  set: <Field extends Name<Values>>(name: Field, value: Values[Field]) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: Name<Values>) => string | undefined;
  leave: (name: Name<Values>) => void;
  refusal: Refusal<Name<Values>>;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
  /** How many fields differ from the loaded values. */
  changed: number;
  /** Given to the drawer or dialog of the form, which asks before it closes. */
  unsaved: Unsaved;
  /** Undefined unless the values of a draft are shown; returns to the loaded values. */
  dropDraft: (() => void) | undefined;
}

interface FieldRules<Values, Problem> {
  /** Read once. */
  begin: () => Values;
  problemsOf: (values: Values, initial: Values) => Partial<Record<Name<Values>, Problem>>;
  sentenceOf: (problem: Problem, values: Values) => string;
  /** Fields whose problem shows while the user types. */
  live?: readonly Name<Values>[];
  /** Fields that have another name in the request, by that name. */
  aliases?: Readonly<Record<string, Name<Values>>>;
  draft?: DraftOptions<Name<Values>>;
}

export function useFields<Values extends object, Problem extends string>({
  begin,
  problemsOf,
  sentenceOf,
  live = [],
  aliases,
  draft,
}: FieldRules<Values, Problem>): Fields<Values> {
  const [initial] = useState(begin);
  const [kept, setKept] = useState(() => (draft ? readDraft(draft, initial) : undefined));
  const [values, setValues] = useState({ ...initial, ...kept });
  const [base, setBase] = useState(() => ({
    ...initial,
    ...(draft && kept ? readDraft({ ...draft, name: baseName(draft.name) }, initial) : {}),
  }));
  const unsaved = useUnsaved(values, { initial, base }, draft);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(live));
  const [tried, setTried] = useState(false);
  const problems = problemsOf(values, initial);
  const shown = (name: Name<Values>) => (tried || left.has(name) ? problems[name] : undefined);
  const names = Object.keys(initial) as Name<Values>[];
  const refusal = useRefusal(names, aliases);
  return {
    values,
    initial,
    base,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      refusal.clear(name);
    },
    errorOf: (name) => {
      const problem = shown(name);
      return problem ? sentenceOf(problem, values) : refusal.errorOf(name);
    },
    leave: (name) => setLeft((before) => new Set([...before, name])),
    refusal,
    shownProblems: names.filter((name) => shown(name) !== undefined || refusal.errorOf(name)).length,
    check: () => {
      setTried(true);
      return Object.keys(problems).length === 0;
    },
    changed: changedNames(values, initial).length,
    unsaved,
    dropDraft: kept
      ? () => {
          setKept(undefined);
          setBase(initial);
          setValues(initial);
          refusal.clear();
        }
      : undefined,
  };
}
