/** A price in dollars of the sheet: text with the change since it was stored; a click turns it into an input. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { readDollars } from './ratios.ts';
import dollar from './dollar-cell.module.css';
import classes from './ratios.module.css';

interface DollarCellProps {
  label: string;
  /** The head of the column, which stands in the cell on a phone. */
  name: string;
  value: number | undefined;
  /** As stored. */
  before: number | undefined;
  /** The first column of a group. */
  first?: boolean;
  /** A price for a call or second takes both columns of its group, unless the second one has prices by resolution. */
  per?: 'call' | 'second';
  narrow?: boolean;
  /** The price that the operator sets, at group ratio 1; the others follow from it. */
  isBase?: boolean;
  /** Undefined: the price cannot be typed here. */
  onChange: ((dollars: number) => void) | undefined;
}

export function DollarCell(props: DollarCellProps) {
  const { label, name, value, before, first, per, narrow, isBase = false, onChange } = props;
  const { t } = useTranslation('sheet');
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    if (typed === undefined) return;
    const read = readDollars(typed);
    setTyped(undefined);
    // A cell that was opened and left is no change: its text has fewer digits than a price may have.
    if (typed === editText(value)) return;
    if (read === 'bad') toast.error(t('number'));
    else if (read !== undefined && read !== value) onChange?.(read);
  };
  const unit = per === undefined ? '' : t(per === 'call' ? 'perCall' : 'perSecond');
  const text = value === undefined ? t('unset') : `${dollarText(value)}${unit}`;
  const content =
    value === undefined ? (
      <span className="muted">{text}</span>
    ) : (
      <>
        <Movement value={value} before={before} />
        {unit === '' ? null : <span className={dollar.unit}>{unit}</span>}
      </>
    );
  return (
    <td
      className={isBase ? classes.cell : classes.computed}
      colSpan={per === undefined || narrow ? undefined : 2}
      data-first={first || undefined}
      data-number
      data-name={name}
      data-edited={typed === undefined ? undefined : true}
    >
      {onChange === undefined ? (
        content
      ) : typed === undefined ? (
        <button
          type="button"
          className={dollar.dollar}
          aria-label={`${label}: ${text}`}
          title={t('typeDollars')}
          onClick={() => setTyped(editText(value))}
        >
          {content}
        </button>
      ) : (
        <input
          className={classes.input}
          aria-label={label}
          aria-invalid={readDollars(typed) === 'bad' || undefined}
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </td>
  );
}

const editText = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(6)));

const dollarText = (value: number): string => formatMoney(value, value !== 0 && value < 1 ? 3 : 2);

/** Green when the user pays less, amber when more; the arrow shows it without the colour. */
function Movement({ value, before }: { value: number; before: number | undefined }) {
  const text = dollarText(value);
  if (before === undefined || Math.abs(before - value) < 1e-9) return <span>{text}</span>;
  const up = value > before;
  const Arrow = up ? IconArrowUp : IconArrowDown;
  return (
    <b className={`relative strong success ${dollar.movement}`} data-up={up || undefined}>
      <Arrow size={11} stroke={2} aria-hidden />
      {text}
    </b>
  );
}
