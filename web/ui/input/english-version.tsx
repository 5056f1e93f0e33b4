/** The English fields below those that everybody reads: folded away until there is something in them. */
import { UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './form.module.css';

interface EnglishVersionProps {
  isWritten: boolean;
  children: ReactNode;
}

export function EnglishVersion({ isWritten, children }: EnglishVersionProps) {
  const { t } = useTranslation('ui');
  const [isOpen, setOpen] = useState(isWritten);
  if (!isOpen)
    return (
      <div>
        <UnstyledButton className={classes.tallLink} onClick={() => setOpen(true)}>
          <IconPlus size={14} stroke={1.6} aria-hidden />
          {t('english.add')}
        </UnstyledButton>
      </div>
    );
  return (
    <fieldset className={`stack12 ${classes.english}`}>
      <legend className="strong">{t('english.title')}</legend>
      <p className="note">{t('english.hint')}</p>
      {children}
    </fieldset>
  );
}
