/** The state of a form: values, and which problems to show yet. A problem shows once the user has left the field. */
import { useState } from 'react';
import { useRefusal, type Refusal } from './refusal.tsx';

type Name<Values> = keyof Values & string;

export interface Fields<Values> {
  values: Values;
  initial: Values;
  set: <Field extends Name<Values>>(name: Field, value: Values[Field]) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: Name<Values>) => string | undefined;
  leave: (name: Name<Values>) => void;
  refusal: Refusal<Name<Values>>;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
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
}

export function useFields<Values extends object, Problem extends string>({
  begin,
  problemsOf,
  sentenceOf,
  live = [],
  aliases,
}: FieldRules<Values, Problem>): Fields<Values> {
  const [initial] = useState(begin);
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(live));
  const [tried, setTried] = useState(false);
  const problems = problemsOf(values, initial);
  const shown = (name: Name<Values>) => (tried || left.has(name) ? problems[name] : undefined);
  const names = Object.keys(initial) as Name<Values>[];
  const refusal = useRefusal(names, aliases);
  return {
    values,
    initial,
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
  };
}
