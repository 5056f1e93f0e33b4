/**
 * One way to make a form: its values, bound inputs, the problems to show yet, what is unsaved, the draft, and sending it. A
 * refusal of the server is shown at its fields.
 */
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { baseName, readDraft, type DraftOptions } from './draft.ts';
import { limitProblem, type Limits } from './limits.ts';
import { useRefusal, type Refusal } from './refusal.tsx';
import { changedNames, useUnsaved, type Unsaved } from './unsaved.ts';

type Name<Values> = keyof Values & string;
type Problems<Values> = Partial<Record<Name<Values>, string | undefined>>;

/** What an input reports: the event of a text field, or the value itself. Null: a choice that was taken back. */
type Change<Value> = Value | (string extends Value ? { currentTarget: { value: string } } | null : never);

interface Bound<Value, Sentence> {
  id: string;
  value: Value;
  error: Sentence;
  'aria-invalid': true | undefined;
  onChange: (change: Change<Value>) => void;
  onBlur: (() => void) | undefined;
  /** Of the endpoint's schema. */
  maxLength: number | undefined;
}

export interface Fields<Values> {
  values: Values;
  initial: Values;
  /** What the changes began with: the loaded values, for fields of a restored draft those it was made from. */
  base: Values;
  set: <Field extends Name<Values>>(name: Field, value: Values[Field]) => void;
  /** For an input with a label of its own, which also shows the sentence. */
  field: <Field extends Name<Values>>(name: Field) => Bound<Values[Field], string | undefined>;
  /** For an input inside a `Field`, which has `row` and shows the sentence. */
  control: <Field extends Name<Values>>(name: Field) => Bound<Values[Field], boolean>;
  row: (name: Name<Values>) => { htmlFor: string; error: string | undefined };
  idOf: (name: Name<Values>) => string;
  /** For a choice between few, which has no sentence. */
  choice: <Field extends Name<Values>>(
    name: Field,
  ) => { value: Values[Field]; onChange: (value: Values[Field]) => void };
  /** For a switch or a checkbox. */
  checked: (name: Name<Values>) => {
    checked: boolean;
    onChange: (event: { currentTarget: { checked: boolean } }) => void;
  };
  /** For a number; a cleared input is `cleared`, and not a number is shown as a cleared input. */
  number: (
    name: Name<Values>,
    cleared?: number,
  ) => Omit<Bound<number | '', boolean>, 'maxLength' | 'onChange'> & {
    onChange: (value: number | string) => void;
  };
  /** The sentence to show at a field, once the user has left it or tried to send. */
  errorOf: (name: Name<Values>) => string | undefined;
  /** The sentence about the value, shown or not. */
  problemOf: (name: Name<Values>) => string | undefined;
  leave: (name: Name<Values>) => void;
  refusal: Refusal<Name<Values>>;
  shownProblems: number;
  /** No field has a problem, shown or not. */
  isReady: boolean;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
  /** How many fields differ from the loaded values. */
  changed: number;
  /** Given to the drawer or dialog of the form, which asks before it closes. */
  unsaved: Unsaved;
  /** Undefined unless the values of a draft are shown; returns to the loaded values. */
  dropDraft: (() => void) | undefined;
  /** Begins anew, without problems. */
  restart: () => void;
  /** Idempotency key: a retry of the same form is one request. */
  requestId: () => string;
}

export interface FieldRules<Values> {
  /** Read once. */
  begin: () => Values;
  /** The sentences of the fields that are wrong. */
  problemsOf?: (values: Values, initial: Values) => Problems<Values>;
  /** Of the body that is sent: longest texts and smallest numbers (`virtual:limits/…`). */
  limits?: Limits;
  /** Fields whose problem shows while the user types. */
  live?: readonly Name<Values>[];
  /** Shows a problem when the user leaves the field, also an empty one; otherwise after the first try to send. */
  checksOnLeave?: 'always' | 'filled';
  /** Fields that have another name in the request, by that name. */
  aliases?: Readonly<Record<string, Name<Values>>>;
  draft?: DraftOptions<Name<Values>>;
  /** Password fields and the like, which do not count as unsaved work. */
  unguarded?: readonly Name<Values>[];
}

/** The sentences of problems that have names. */
export function sentencesOf<Field extends string, Problem extends string>(
  problems: Partial<Record<Field, Problem>>,
  sentenceOf: (problem: Problem) => string,
): Partial<Record<Field, string>> {
  const found = Object.entries(problems) as [Field, Problem][];
  return Object.fromEntries(found.map(([field, problem]) => [field, sentenceOf(problem)])) as Partial<
    Record<Field, string>
  >;
}

/** The values, with those of the draft, and the base of each. */
function useValues<Values extends object>({ begin, draft, unguarded }: FieldRules<Values>) {
  const [initial] = useState(begin);
  const [kept, setKept] = useState(() => (draft ? readDraft(draft, initial) : undefined));
  const [values, setValues] = useState({ ...initial, ...kept });
  const [base, setBase] = useState(() => ({
    ...initial,
    ...(draft && kept ? readDraft({ ...draft, name: baseName(draft.name) }, initial) : {}),
  }));
  const unsaved = useUnsaved(values, { initial, base, unguarded }, draft);
  const begun = () => {
    setKept(undefined);
    setBase(initial);
    setValues(initial);
  };
  return { initial, values, setValues, base, unsaved, hasDraft: kept !== undefined, begin: begun };
}

/** The sentences of the wrong fields, and which of them to show yet. */
function useProblems<Values extends object>(rules: FieldRules<Values>, values: Values, initial: Values) {
  const { t } = useTranslation('ui');
  const { problemsOf, limits = {}, live = [] } = rules;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(live));
  const [tried, setTried] = useState(false);
  const own: Problems<Values> = problemsOf?.(values, initial) ?? {};
  const problems: Problems<Values> = {};
  for (const name of Object.keys(initial) as Name<Values>[]) {
    const problem = own[name] ?? limitProblem(limits[name], values[name], t);
    if (problem !== undefined) problems[name] = problem;
  }
  return {
    problems,
    setTried,
    shown: (name: Name<Values>) => (tried || left.has(name) ? problems[name] : undefined),
    leave: (name: Name<Values>) => setLeft((before) => new Set([...before, name])),
  };
}

/** A form whose page sends it by itself. */
export function useFields<Values extends object>(rules: FieldRules<Values>): Fields<Values> {
  const { limits = {}, checksOnLeave, aliases } = rules;
  const formId = useId();
  const { initial, values, setValues, base, unsaved, hasDraft, begin } = useValues(rules);
  const { problems, setTried, shown, leave } = useProblems(rules, values, initial);
  const [requestId] = useState(onceMade);
  const names = Object.keys(initial) as Name<Values>[];
  const refusal = useRefusal(names, aliases);
  const errorOf = (name: Name<Values>) => shown(name) ?? refusal.errorOf(name);
  const isReady = Object.keys(problems).length === 0;
  const set = (name: Name<Values>, value: unknown) => {
    setValues((before) => ({ ...before, [name]: value }));
    refusal.clear(name);
  };
  const restart = () => {
    begin();
    setTried(false);
    refusal.clear();
  };
  const idOf = (name: Name<Values>) => `${formId}-${name}`;
  const leaveFilled = (name: Name<Values>) => () => {
    if (checksOnLeave === 'always' || (values[name] as unknown) !== '') leave(name);
  };
  const bind = (name: Name<Values>) => ({
    id: idOf(name),
    'aria-invalid': errorOf(name) === undefined ? undefined : (true as const),
    onBlur: checksOnLeave ? leaveFilled(name) : undefined,
  });
  const bindValue = <Field extends Name<Values>>(name: Field) => ({
    ...bind(name),
    value: values[name],
    maxLength: limits[name]?.longest,
    onChange: (change: Change<Values[Field]>) => set(name, valueIn(change, values[name])),
  });
  return {
    values,
    initial,
    base,
    set,
    field: (name) => ({ ...bindValue(name), error: errorOf(name) }),
    control: (name) => ({ ...bindValue(name), error: errorOf(name) !== undefined }),
    row: (name) => ({ htmlFor: idOf(name), error: errorOf(name) }),
    idOf,
    choice: (name) => ({ value: values[name], onChange: (value) => set(name, value) }),
    checked: (name) => ({
      checked: values[name] === true,
      onChange: (event) => set(name, event.currentTarget.checked),
    }),
    number: (name, cleared = Number.NaN) => ({
      ...bind(name),
      value: Number.isNaN(values[name]) ? '' : (values[name] as number),
      error: errorOf(name) !== undefined,
      onChange: (value) => set(name, value === '' || Number.isNaN(Number(value)) ? cleared : Number(value)),
    }),
    errorOf,
    problemOf: (name) => problems[name],
    leave,
    refusal,
    shownProblems: names.filter((name) => errorOf(name) !== undefined).length,
    isReady,
    check: () => {
      setTried(true);
      return isReady;
    },
    changed: changedNames(values, initial).length,
    unsaved,
    requestId,
    restart,
    dropDraft: hasDraft ? restart : undefined,
  };
}

function onceMade(): () => string {
  let id: string | undefined;
  return () => (id ??= crypto.randomUUID());
}

/** A text whose choice was taken back is blank; other values, such as a file, are gone. */
function valueIn(change: unknown, before: unknown): unknown {
  if (change === null) return typeof before === 'string' ? '' : null;
  return typeof change === 'object' && 'currentTarget' in change
    ? (change.currentTarget as HTMLInputElement).value
    : change;
}

/** The part of a form that its frame needs: the drawer, the dialog, the page. */
export interface Sending {
  refusal: Refusal<never>;
  unsaved: Unsaved;
  dropDraft: (() => void) | undefined;
  /** Sends the form when nothing is wrong with it. */
  submit: () => void;
  isSending: boolean;
}

export type Form<Values, Result = unknown> = Fields<Values> & Sending & { result: Result | undefined };

interface SendRules<Values, Result> {
  send: (values: Values, form: Fields<Values>) => Promise<Result>;
  /** Asked before the form is sent; false leaves it open. */
  mayCall?: (values: Values) => boolean | Promise<boolean>;
  /** The form is saved: its draft is gone and it closes without a question. */
  onSent?: (result: Result, values: Values) => unknown;
  /** Called before the refusal is shown; false hides it. */
  onRefused?: (error: unknown) => boolean | undefined;
  /** Queries that are read again after every attempt. */
  refresh?: readonly QueryKey[];
}

export function useForm<Values extends object, Result>(
  rules: FieldRules<Values> & SendRules<Values, Result>,
): Form<Values, Result> {
  const fields = useFields(rules);
  const { send, mayCall, onSent, onRefused, refresh = [] } = rules;
  const client = useQueryClient();
  const { mutation } = fields.refusal;
  const call = useMutation({
    ...mutation,
    mutationFn: (values: Values) => send(values, fields),
    onSuccess: (result, values) => {
      fields.unsaved.end();
      return onSent?.(result, values);
    },
    onError: (error) => {
      if (onRefused?.(error) !== false) mutation.onError(error);
    },
    onSettled: () => Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const submit = () => {
    if (!fields.check() || call.isPending) return;
    const { values } = fields;
    if (!mayCall) call.mutate(values);
    else void Promise.resolve(mayCall(values)).then((may) => may && call.mutate(values));
  };
  return { ...fields, submit, isSending: call.isPending, result: call.data };
}
