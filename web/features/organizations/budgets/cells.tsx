/** The cells of the sheet of budgets that are typed. The old value is struck through beside a new one. */
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import table from '#web/ui/sheet/ratios.module.css';
import { amountText, readAmount } from './sheet.ts';
import classes from './budgets.module.css';

interface TextCellProps {
  /** Of the column, which the phone shows in the cell. */
  head?: string;
  label: string;
  value: string;
  /** As stored; undefined in a new row. */
  before: string | undefined;
  placeholder?: string;
  maxLength: number;
  isBad?: boolean;
  onChange: (value: string) => void;
}

export function TextInput({ label, value, placeholder, maxLength, isBad, onChange }: TextCellProps) {
  return (
    <input
      className={`${table.input} ${classes.text}`}
      aria-label={label}
      aria-invalid={isBad || undefined}
      autoComplete="off"
      spellCheck={false}
      placeholder={placeholder}
      maxLength={maxLength}
      title={value}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function TextCell(props: TextCellProps) {
  const { head, value, before } = props;
  return (
    <td
      className={table.cell}
      data-label={head}
      data-changed={(before !== undefined && value !== before) || undefined}
    >
      <TextInput {...props} />
    </td>
  );
}

interface AmountCellProps {
  head: string;
  label: string;
  quota: number;
  before: number | undefined;
  onChange: (quota: number) => void;
}

/** Typed as the site shows amounts: money, or quota. */
export function AmountCell({ head, label, quota, before, onChange }: AmountCellProps) {
  const { t } = useTranslation('organizations');
  const display = useDisplay();
  const [typed, setTyped] = useState<string>();
  const isChanged = before !== undefined && quota !== before;
  const read = typed === undefined ? quota : readAmount(typed, display);
  const commit = () => {
    if (typed === undefined) return;
    setTyped(undefined);
    if (read === 'bad') toast.error(t('budgets.problem.amount'));
    else if (read !== quota) onChange(read);
  };
  return (
    <td className={table.cell} data-number data-label={head} data-changed={isChanged || undefined}>
      {isChanged ? <del className={table.old}>{renderQuota(before, display)}</del> : null}
      <input
        className={table.input}
        aria-label={label}
        aria-invalid={read === 'bad' || undefined}
        inputMode="decimal"
        autoComplete="off"
        value={typed ?? renderQuota(quota, display)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => {
          // Selected before the next key, or it would stand behind the old amount.
          flushSync(() => setTyped(amountText(quota, display)));
          event.currentTarget.select();
        }}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') setTyped(amountText(quota, display));
        }}
      />
    </td>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <select
      className={`${table.billing} ${classes.choice}`}
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.value === event.currentTarget.value);
        if (chosen) onChange(chosen.value);
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

export function ChoiceCell<Value extends string>(
  props: ChoiceProps<Value> & { head: string; before: Value | undefined },
) {
  const { head, before, ...choice } = props;
  return (
    <td
      className={`${table.cell} ${classes.chosen}`}
      data-label={head}
      data-changed={(before !== undefined && choice.value !== before) || undefined}
    >
      <Choice {...choice} />
    </td>
  );
}
