/** The four numbers above the posts, each with what to compare it to. */
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface ThingFigure {
  label: string;
  /** Already formatted; undefined: too little to say, which `basis` explains. */
  value: ReactNode;
  unit?: string;
  tone?: 'danger' | 'warning';
  /** What to compare it to. */
  basis?: ReactNode;
}

export function Figures({ figures }: { figures: readonly ThingFigure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value, unit, tone, basis }) => (
        <div key={label}>
          <dt className="note">{label}</dt>
          <dd className="amount" data-tone={tone}>
            {value ?? <span className="muted">–</span>}
            {unit && value !== undefined ? <span className={classes.unit}>{unit}</span> : null}
          </dd>
          {basis ? <dd className="caption">{basis}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
