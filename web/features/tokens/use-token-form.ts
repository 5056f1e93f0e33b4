/** The state of the form: values, which problems to show yet, and what has been changed. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TOKEN_BATCH_MAX, TOKEN_NAME_MAX, type TokenView } from '#contract/tokens.ts';
import { nowSeconds } from '#web/ui/format/time.ts';
import {
  changedFields,
  formValues,
  problemsOf,
  type FieldName,
  type Problem,
  type TokenFormValues,
} from './form-values.ts';

export interface TokenForm {
  values: TokenFormValues;
  set: <Name extends FieldName>(name: Name, value: TokenFormValues[Name]) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: FieldName) => string | undefined;
  /** A field is judged once it has been left. */
  leave: (name: FieldName) => void;
  /** A refusal of the server that belongs to a field. */
  setServerError: (name: FieldName, message: string) => void;
  changed: number;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
}

/** These are judged while typing: the line says what is wrong with it. */
const LIVE: readonly FieldName[] = ['allow_ips', 'deny_ips'];

export function useTokenForm(token: TokenView | undefined): TokenForm {
  const { t } = useTranslation('tokens');
  const [initial] = useState(() => formValues(token));
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set(LIVE));
  const [tried, setTried] = useState(false);
  const [serverErrors, setServerErrors] = useState<Partial<Record<FieldName, string>>>({});
  const problems = problemsOf(values, initial, nowSeconds());

  const sentence: Record<Problem, string> = {
    nameRequired: t('error.nameRequired'),
    nameTooLong: t('error.nameTooLong', { max: TOKEN_NAME_MAX }),
    expiryFormat: t('error.expiryFormat'),
    expiryPast: t('error.expiryPast'),
    count: t('error.count', { max: TOKEN_BATCH_MAX }),
    addresses: '',
  };
  const shown = (name: FieldName) => (tried || left.has(name) ? problems[name] : undefined);
  const errorOf = (name: FieldName) => {
    const problem = shown(name);
    return problem ? sentence[problem] : serverErrors[name];
  };
  const names = Object.keys(initial) as FieldName[];
  return {
    values,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      setServerErrors((before) => ({ ...before, [name]: undefined }));
    },
    errorOf,
    leave: (name) => setLeft((before) => new Set([...before, name])),
    setServerError: (name, message) => setServerErrors((before) => ({ ...before, [name]: message })),
    changed: changedFields(values, initial).length,
    shownProblems: names.filter((name) => shown(name) !== undefined || serverErrors[name]).length,
    check: () => {
      setTried(true);
      return Object.keys(problems).length === 0;
    },
  };
}
