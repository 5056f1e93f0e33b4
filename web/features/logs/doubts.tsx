/** Counts of the upstream's report that were not believed: as reported, and as charged. */
import { useTranslation } from 'react-i18next';
import { groupDigits } from '#web/ui/format/number.ts';
import type { LogDetails } from './other.ts';
import classes from './detail.module.css';

export function Doubts({ details }: { details: LogDetails }) {
  const { t } = useTranslation('logs');
  if (details.doubts.length === 0) return null;
  return (
    <div className={`top4 stack2 ${classes.cause}`}>
      <b>{t('doubts.title')}</b>
      {details.doubts.map(({ count, reported = 0, charged = 0 }, index) => (
        // A batch may have several doubts of the same count.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={`${index} ${count}`}>
          {t(`doubts.${count}`, { reported: groupDigits(reported), charged: groupDigits(charged) })}
        </span>
      ))}
    </div>
  );
}
