/** What differs between two sets of prices. */
import { useTranslation } from 'react-i18next';
import { OPTIONS } from './options.ts';
import classes from './price-book.module.css';

interface Change {
  key: string;
  name: string;
  before?: unknown;
  after?: unknown;
}

const MOST = 100;

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : `${value as string | number | boolean}`;

export function Changes({ changes, label }: { changes: readonly Change[]; label: string }) {
  const { t } = useTranslation('price-book');
  const optionName = (key: string) => {
    const known = OPTIONS.find((name) => name === key);
    return known === undefined ? key : t(`option.${known}`);
  };
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th>{t('change.name')}</th>
            <th>{t('change.option')}</th>
            <th>{t('change.before')}</th>
            <th>{t('change.after')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, MOST).map(({ key, name, before, after }) => (
            <tr key={`${key} ${name}`}>
              <td className={classes.mono}>{name}</td>
              <td>{optionName(key)}</td>
              <td className={classes.old}>{shown(before)}</td>
              <td className={classes.mono}>{shown(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > MOST ? (
        <p className={classes.dim}>{t('change.more', { count: changes.length - MOST })}</p>
      ) : null}
    </div>
  );
}
