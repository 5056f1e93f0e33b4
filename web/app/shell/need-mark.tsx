/** How many things need the reader, beside the name of an entry: icon and number, in words for screen readers. */
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { NeedCount } from '#web/app/needs.ts';
import classes from './menu.module.css';

interface NeedMarkProps {
  count: NeedCount | undefined;
  /** The link names it with `aria-describedby`. */
  id: string;
  /** Over an icon, where there is no room beside it. */
  small?: boolean;
}

export const hasNeeds = (count: NeedCount | undefined): boolean =>
  count !== undefined && count.stop + count.act > 0;

export function NeedMark({ count, id, small = false }: NeedMarkProps) {
  const { t } = useTranslation('shell');
  if (count === undefined || !hasNeeds(count)) return null;
  const total = count.stop + count.act;
  return (
    // Hidden, so that the entry keeps its name; the description says it.
    <span
      className={classes.needs}
      data-severity={count.stop > 0 ? 'stop' : 'act'}
      data-small={small || undefined}
      aria-hidden
    >
      {small ? null : <IconAlertTriangleFilled size={13} />}
      {total}
      <span id={id} className="hidden">
        {t('needs', { count: total })}
      </span>
    </span>
  );
}
