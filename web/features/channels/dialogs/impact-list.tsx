/** Which models lose their last channel, per group. */
import { useTranslation } from 'react-i18next';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import classes from '#web/features/channels/channels.module.css';

export type Impact = readonly { group: string; models: readonly string[] }[];

const LISTED = 8;

/** A model counts once, however many groups lose it. */
export function lostModels(impact: Impact): number {
  return new Set(impact.flatMap(({ models }) => models)).size;
}

export function ImpactList({ impact }: { impact: Impact }) {
  const { t } = useTranslation('channels');
  return (
    <>
      <p className={classes.impactText}>{t('impact.text')}</p>
      <ul className={`stack6 ${classes.impact}`}>
        {impact.map(({ group, models }) => (
          <li key={group}>
            <GroupTag group={group} />
            <span>
              {models.slice(0, LISTED).join(', ')}
              {models.length > LISTED ? ` +${models.length - LISTED}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
