/** A number edited in place: dotted underline at rest, Enter saves, Esc restores, a blank is ignored. */
import { useState } from 'react';
import classes from './cells.module.css';

interface NumberCellProps {
  /** Undefined: the channels below differ. */
  value: number | undefined;
  label: string;
  mixedLabel?: string;
  /** The number to save, or undefined when the text is not a number; may show a toast with the reason. */
  parse: (text: string) => number | undefined;
  /** The new number is shown until the promise settles. */
  onSave: (value: number) => Promise<void>;
}

export function NumberCell({ value, label, mixedLabel, parse, onSave }: NumberCellProps) {
  const [text, setText] = useState<string>();
  const [saved, setSaved] = useState(false);
  const [pending, setPending] = useState<number>();
  const current = pending ?? value;
  const shown = current === undefined ? '' : String(current);
  const finish = () => {
    const typed = text?.trim();
    setText(undefined);
    if (typed === undefined || typed === '' || typed === shown) return;
    const next = parse(typed);
    if (next === undefined || next === value) return;
    setPending(next);
    void onSave(next).finally(() => {
      setPending(undefined);
      setSaved(true);
    });
  };
  return (
    <input
      className={classes.number}
      data-saved={saved || undefined}
      data-zero={current === 0 || undefined}
      aria-label={label}
      placeholder={value === undefined ? mixedLabel : undefined}
      inputMode="numeric"
      autoComplete="off"
      value={text ?? shown}
      onAnimationEnd={() => setSaved(false)}
      onFocus={(event) => {
        setText(shown);
        event.currentTarget.select();
      }}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        setText(undefined);
        // The blur that follows must not save.
        const field = event.currentTarget;
        requestAnimationFrame(() => field.blur());
      }}
    />
  );
}
