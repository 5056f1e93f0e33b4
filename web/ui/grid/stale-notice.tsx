/** A refresh failed: the rows of the last one stay, with this line above them. */
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { GridError } from './types.ts';
import classes from './stale-notice.module.css';

export function StaleNotice({ error, onRetry }: { error: GridError; onRetry: () => void }) {
  const { t } = useTranslation('ui');
  return (
    <div className={`row8 small ${classes.stale}`} role="alert">
      <IconAlertTriangleFilled size={14} aria-hidden />
      <span>
        {t('grid.stale')} {error.message}
        {error.requestId ? <code> {error.requestId}</code> : null}
      </span>
      <button type="button" onClick={onRetry}>
        {t('action.retry')}
      </button>
    </div>
  );
}
