/** The lines of a card on the phone; the first has name, state and menu. */
import type { ReactNode } from 'react';
import classes from './card-line.module.css';

export function CardLine({ children }: { children: ReactNode }) {
  return <div className={`row12 between shrink ${classes.line}`}>{children}</div>;
}

export function CardHead({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <CardLine>
      <span className={classes.name}>{name}</span>
      <span className="inline4 fixed">{children}</span>
    </CardLine>
  );
}
