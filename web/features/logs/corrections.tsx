/** Corrections of a charge by re-rating: from, to, and the note in the ledger. */
import { useTranslation } from 'react-i18next';
import type { LogView } from '#contract/logs.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import type { LogDetails } from './other.ts';
import classes from './detail.module.css';

/** The row as it was charged: its price explains that charge, not the corrected one. */
export function asCharged(row: LogView, details: LogDetails): { row: LogView; details: LogDetails } {
  const [first] = details.corrections;
  if (first === undefined) return { row, details };
  return { row: { ...row, quota: first.from }, details: { ...details, plan: undefined } };
}

export function Corrections({ details }: { details: LogDetails }) {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  if (details.corrections.length === 0) return null;
  const money = (quota: number) => renderQuota(quota, display, 6);
  return (
    <dl className={classes.facts}>
      {details.corrections.map(({ run, note, from, to, isUndo }) => (
        <div key={note}>
          <dt>{t(isUndo ? 'corrected.undone' : 'corrected.title', { run })}</dt>
          <dd>
            {t('corrected.change', { from: money(from), to: money(to) })} <code>{note}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
