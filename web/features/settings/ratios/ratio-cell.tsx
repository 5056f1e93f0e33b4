/** A cell of the sheet: typed text of its own until it is left; the old value stays struck through beside a new one. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import { readCell } from './ratios.ts';
import classes from './ratios.module.css';

interface RatioCellProps {
  label: string;
  value: number | undefined;
  /** As stored. */
  before: number | undefined;
  /** What holds while the cell is empty: the built-in list. */
  listed: number | undefined;
  /** A fixed price closes the ratios of its model. */
  closed?: boolean;
  onChange: (value: number | undefined) => void;
}

const shown = (value: number | undefined) => (value === undefined ? '' : String(value));
/** Ratios of the list are quotients of prices; their tail says nothing. */
const brief = (value: number | undefined) => shown(value && Number(value.toPrecision(5)));

export function RatioCell({ label, value, before, listed, closed = false, onChange }: RatioCellProps) {
  const { t } = useTranslation('settings');
  const [typed, setTyped] = useState<string>();
  const changed = value !== before;
  const bad = typed !== undefined && readCell(typed) === 'bad';
  const commit = () => {
    if (typed === undefined) return;
    const read = readCell(typed);
    setTyped(undefined);
    if (read === 'bad') toast.error(t('ratios.number'));
    else if (read !== value) onChange(read);
  };
  if (closed) return <td className={classes.closed} data-number aria-label={label} aria-disabled />;
  return (
    <td className={classes.cell} data-number data-changed={changed || undefined}>
      {changed ? (
        <del className={classes.old}>{before === undefined ? brief(listed) : shown(before)}</del>
      ) : null}
      <input
        className={classes.input}
        aria-label={label}
        aria-invalid={bad || undefined}
        inputMode="decimal"
        autoComplete="off"
        placeholder={brief(listed)}
        value={typed ?? shown(value)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setTyped(undefined);
        }}
      />
    </td>
  );
}
