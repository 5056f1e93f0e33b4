/** The facts of a thing: label, value, and on the right what follows from it (`lasts 4 days`). Nothing is typed here. */
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  label: string;
  value: ReactNode;
  /** The derived fact. */
  derived?: ReactNode;
  tone?: 'danger' | 'warning';
}

/** A fact that is `undefined`, `null` or `false` is left out. */
export function FactList({ facts }: { facts: readonly (Fact | undefined | null | false)[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter((fact) => fact !== undefined && fact !== null && fact !== false)
        .map(({ label, value, derived, tone }) => (
          <div key={label} data-tone={tone}>
            <dt>{label}</dt>
            <dd className={classes.value}>{value}</dd>
            {derived ? <dd className={classes.derived}>{derived}</dd> : null}
          </div>
        ))}
    </dl>
  );
}
