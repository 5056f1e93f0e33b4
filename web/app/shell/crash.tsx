/** Shown in place of a page that throws, with a retry button. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import classes from './plain.module.css';

export function Crash({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('shell');
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className={`stack8 start ${classes.plain}`}>
      <h1>{t('crash.title')}</h1>
      <p>{t('crash.text')}</p>
      <ErrorState message={message} onRetry={reset} />
    </div>
  );
}
