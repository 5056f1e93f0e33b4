/** The state of the form: values, which problems to show yet, and what has been changed. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/channel-fields.ts';
import {
  changedFields,
  formValues,
  problemsOf,
  type ChannelFormValues,
  type FieldName,
  type Problem,
} from './form-values.ts';
import type { TypeLookup } from './queries.ts';

export interface ChannelForm {
  values: ChannelFormValues;
  initial: ChannelFormValues;
  set: <Name extends FieldName>(name: Name, value: ChannelFormValues[Name]) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: FieldName) => string | undefined;
  leave: (name: FieldName) => void;
  /** A refusal of the server that belongs to a field. */
  setServerError: (name: FieldName, message: string) => void;
  changed: number;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
}

export function useChannelForm(channel: ChannelView | undefined, typeOf: TypeLookup): ChannelForm {
  const { t, i18n } = useTranslation('channels');
  const [initial] = useState(() => formValues(channel));
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set());
  const [tried, setTried] = useState(false);
  const [serverErrors, setServerErrors] = useState<Partial<Record<FieldName, string>>>({});
  const type = typeOf(values.type);
  const problems = problemsOf(values, type, channel === undefined);

  const label = type?.other_label[i18n.language === 'zh' ? 'zh' : 'en'] ?? '';
  const sentence: Record<Problem, string> = {
    nameRequired: t('error.nameRequired'),
    keyRequired: t('error.keyRequired'),
    keyNotJson: t('error.keyNotJson'),
    baseUrlRequired: t('error.baseUrlRequired'),
    otherRequired: t('error.otherRequired', { label }),
    modelsRequired: t('error.modelsRequired'),
    groupsRequired: t('error.groupsRequired'),
    mappingNotJson: t('error.mappingNotJson'),
    notJson: t('error.notJson'),
  };
  const shown = (name: FieldName) => (tried || left.has(name) ? problems[name] : undefined);
  const names = Object.keys(initial) as FieldName[];
  return {
    values,
    initial,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      setServerErrors((before) => ({ ...before, [name]: undefined }));
    },
    errorOf: (name) => {
      const problem = shown(name);
      return problem ? sentence[problem] : serverErrors[name];
    },
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
