/** Beside the sheet: each typed price with what the last 30 days would have been at it, and its margin on the known cost. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { PricedModel } from '#contract/options.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { mapsOf, SHEET_KEYS, type Texts } from '#web/ui/sheet/ratios.ts';
import type { SheetForm } from '#web/ui/sheet/price-sheet.tsx';
import { changedModels, liveFigures, type LiveFigures } from './live.ts';
import { priceQueries } from './queries.ts';
import classes from './price-book.module.css';

const MOST = 20;
const percent = (share: number) => `${(share * 100).toFixed(1).replace('-', '−')}%`;

export function LiveTable({ form, models }: { form: SheetForm; models: readonly PricedModel[] }) {
  const { t } = useTranslation('price-book');
  const texts: Texts = Object.fromEntries(SHEET_KEYS.map((key) => [key, form.text(key)]));
  const [saved, typed] = [mapsOf(form.saved), mapsOf(texts)];
  const changed = saved && typed ? changedModels(saved, typed) : [];
  const { data: margins } = useQuery({ ...priceQueries.margins(), enabled: changed.length > 0 });
  if (!saved || !typed || changed.length === 0) return null;
  const rows = changed.slice(0, MOST).map((model) =>
    liveFigures(
      model,
      { saved, typed },
      models.find((each) => each.model === model),
      margins?.rows.find(({ key }) => key === model),
    ),
  );
  return (
    <section className={`stack8 ${classes.block}`}>
      <h3>{t('live.title')}</h3>
      <div className={classes.scroll}>
        <table className={classes.table} aria-label={t('live.title')}>
          <thead>
            <tr>
              <th>{t('impact.model')}</th>
              <th data-number>{t('live.used')}</th>
              <th data-number>{t('live.margin')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.model}>
                <td className={classes.mono}>{row.model}</td>
                <Cells row={row} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {changed.length > MOST ? (
        <p className={classes.dim}>{t('change.more', { count: changed.length - MOST })}</p>
      ) : null}
    </section>
  );
}

function Cells({ row: { used, share } }: { row: LiveFigures }) {
  const { t } = useTranslation('price-book');
  const display = useDisplay();
  return (
    <>
      <td data-number>
        {used
          ? `${renderQuota(used.before, display)} → ${renderQuota(used.after, display)}`
          : t('live.notUsed')}
      </td>
      <td data-number>{share ? `${percent(share.before)} → ${percent(share.after)}` : t('live.unknown')}</td>
    </>
  );
}
