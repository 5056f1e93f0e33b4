/** A JSON option in its editor or as text: two views of the same draft. */
import { UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './editors.module.css';
import formClasses from './form.module.css';

interface JsonSwitchProps {
  /** False while the text does not parse: then only the text can be edited. */
  readable: boolean;
  form: ReactNode;
  json: ReactNode;
}

export function JsonSwitch({ readable, form, json }: JsonSwitchProps) {
  const { t } = useTranslation('settings');
  const [asJson, setAsJson] = useState(false);
  const text = asJson || !readable;
  return (
    <div className="stack8">
      <div className={classes.switchLine}>
        <UnstyledButton
          className={`inline4 small ${formClasses.link}`}
          aria-pressed={text}
          disabled={!readable}
          onClick={() => setAsJson(!asJson)}
        >
          {t(text ? 'field.asForm' : 'field.asJson')}
        </UnstyledButton>
      </div>
      {text ? json : form}
    </div>
  );
}
