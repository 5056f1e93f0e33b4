/** A cell of the sheet: local text until blur; the old value is struck through beside a new one. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import { isMoney, readCell, readDollars, readResolutions, resolutionText } from './ratios.ts';
import classes from './ratios.module.css';

interface RatioCellProps {
  label: string;
  /** The head of the column, which stands in the cell on a phone. */
  name: string;
  value: number | undefined;
  /** As stored. */
  before: number | undefined;
  /** The value of the built-in list, used while the cell is empty. */
  listed: number | undefined;
  /** A fixed price disables the ratios of its model. */
  closed?: boolean;
  onChange: (value: number | undefined) => void;
  /** For an amount that was typed with its sign: a price, not a ratio. */
  onDollars?: (dollars: number) => void;
}

const shown = (value: number | undefined) => (value === undefined ? '' : String(value));
/** Ratios of the built-in list are quotients of prices; further digits are noise. */
const brief = (value: number | undefined) => shown(value && Number(value.toPrecision(5)));

export function RatioCell(props: RatioCellProps) {
  const { label, name, value, before, listed, closed = false, onChange, onDollars } = props;
  const { t } = useTranslation('sheet');
  const [typed, setTyped] = useState<string>();
  const changed = value !== before;
  const isPrice = typed !== undefined && onDollars !== undefined && isMoney(typed);
  const readTyped = isPrice ? readDollars : readCell;
  const bad = typed !== undefined && readTyped(typed) === 'bad';
  const commit = () => {
    if (typed === undefined) return;
    const read = readTyped(typed);
    setTyped(undefined);
    if (read === 'bad') toast.error(t('number'));
    else if (isPrice) {
      if (read !== undefined) onDollars(read);
    } else if (read !== value) onChange(read);
  };
  if (closed) return <td className={classes.closed} data-number aria-label={label} aria-disabled />;
  return (
    <td className={classes.cell} data-number data-name={name} data-changed={changed || undefined}>
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

interface ResolutionCellProps {
  label: string;
  value: Record<string, number> | undefined;
  /** As stored. */
  before: Record<string, number> | undefined;
  /** Of the built-in list; they apply while the price is the list's too. */
  listed: Record<string, number> | undefined;
  onChange: (value: Record<string, number>) => void;
  /** Only one column wide, beside a price. */
  narrow?: boolean;
}

/** The prices by resolution as one text, in the place of what a fixed price disables. */
export function ResolutionCell({ label, value, before, listed, onChange, narrow }: ResolutionCellProps) {
  const { t } = useTranslation('sheet');
  const [typed, setTyped] = useState<string>();
  const text = resolutionText(value);
  const changed = text !== resolutionText(before);
  const bad = typed !== undefined && readResolutions(typed) === undefined;
  const commit = () => {
    if (typed === undefined) return;
    const read = readResolutions(typed);
    setTyped(undefined);
    if (read === undefined) toast.error(t('resolutionsBad'));
    else if (resolutionText(read) !== text) onChange(read);
  };
  return (
    <td
      className={classes.cell}
      colSpan={narrow ? undefined : 2}
      data-name={t('resolutions')}
      data-changed={changed || undefined}
    >
      <input
        className={classes.input}
        aria-label={label}
        aria-invalid={bad || undefined}
        autoComplete="off"
        placeholder={resolutionText(listed) || t('resolutionsNone')}
        value={typed ?? text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setTyped(undefined);
        }}
      />
    </td>
  );
}
