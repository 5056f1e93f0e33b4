/** A field for each {{name}} of the system prompt and the question. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Variables } from './variables.ts';
import classes from './playground.module.css';

interface VariableFieldsProps {
  names: readonly string[];
  values: Variables;
  onChange: (values: Variables) => void;
}

export function VariableFields({ names, values, onChange }: VariableFieldsProps) {
  const { t } = useTranslation('playground');
  if (names.length === 0) return null;
  return (
    <div className={classes.variables} role="group" aria-label={t('variables.label')}>
      {names.map((name) => (
        <TextInput
          key={name}
          aria-label={t('variables.value', { name })}
          placeholder={`{{${name}}}`}
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}
