/** The state of a form: values, and which problems to show yet. A field is judged once it has been left. */
import { useState } from 'react';

type Name<Values> = keyof Values & string;

export interface Fields<Values> {
  values: Values;
  initial: Values;
  set: <Field extends Name<Values>>(name: Field, value: Values[Field]) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: Name<Values>) => string | undefined;
  leave: (name: Name<Values>) => void;
  /** A refusal of the server that belongs to a field. */
  setServerError: (name: Name<Values>, message: string) => void;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
}

interface FieldRules<Values, Problem> {
  /** Read once. */
  begin: () => Values;
  problemsOf: (values: Values, initial: Values) => Partial<Record<Name<Values>, Problem>>;
  sentenceOf: (problem: Problem, values: Values) => string;
  /** Fields that are judged while they are typed. */
  live?: readonly Name<Values>[];
}

export function useFields<Values extends object, Problem extends string>({
  begin,
  problemsOf,
  sentenceOf,
  live = [],
}: FieldRules<Values, Problem>): Fields<Values> {
  const [initial] = useState(begin);
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(live));
  const [tried, setTried] = useState(false);
  const [serverErrors, setServerErrors] = useState<Partial<Record<string, string>>>({});
  const problems = problemsOf(values, initial);
  const shown = (name: Name<Values>) => (tried || left.has(name) ? problems[name] : undefined);
  const names = Object.keys(initial) as Name<Values>[];
  return {
    values,
    initial,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      setServerErrors((before) => ({ ...before, [name]: undefined }));
    },
    errorOf: (name) => {
      const problem = shown(name);
      return problem ? sentenceOf(problem, values) : serverErrors[name];
    },
    leave: (name) => setLeft((before) => new Set([...before, name])),
    setServerError: (name, message) => setServerErrors((before) => ({ ...before, [name]: message })),
    shownProblems: names.filter((name) => shown(name) !== undefined || serverErrors[name]).length,
    check: () => {
      setTried(true);
      return Object.keys(problems).length === 0;
    },
  };
}
