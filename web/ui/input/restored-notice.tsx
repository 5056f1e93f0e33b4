/** Says that a form shows the values of its draft, and returns to the loaded ones. */
import { useTranslation } from 'react-i18next';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import classes from './input.module.css';

export function RestoredNotice({ onDrop }: { onDrop: (() => void) | undefined }) {
  const { t } = useTranslation('ui');
  if (!onDrop) return null;
  return (
    <div className={classes.restored}>
      <NoticeBox tone="info">
        {t('unsaved.restored')}{' '}
        <button type="button" className={classes.dropDraft} onClick={onDrop}>
          {t('unsaved.drop')}
        </button>
      </NoticeBox>
    </div>
  );
}
