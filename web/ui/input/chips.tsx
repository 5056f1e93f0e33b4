/** Quick picks below the field they fill. They never look selected: the field shows the value. */
import { UnstyledButton } from '@mantine/core';
import classes from './input.module.css';

export interface Pick<Value> {
  label: string;
  value: Value;
}

interface QuickPicksProps<Value> {
  picks: readonly Pick<Value>[];
  onPick: (value: Value) => void;
  label: string;
  disabled?: boolean;
}

export function QuickPicks<Value extends string | number>({
  picks,
  onPick,
  label,
  disabled,
}: QuickPicksProps<Value>) {
  return (
    <div className="flow6" role="group" aria-label={label}>
      {picks.map((pick) => (
        <UnstyledButton
          key={pick.value}
          className={classes.chip}
          disabled={disabled}
          onClick={() => onPick(pick.value)}
        >
          {pick.label}
        </UnstyledButton>
      ))}
    </div>
  );
}
