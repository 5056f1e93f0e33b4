/** The frame of a part of the personal tab: a name on the left, what belongs to it on the right. */
import type { ReactNode } from 'react';
import classes from './personal.module.css';

interface BlockProps {
  id: string;
  title: string;
  text?: ReactNode;
  danger?: boolean;
  children: ReactNode;
}

export function Block({ id, title, text, danger, children }: BlockProps) {
  return (
    <section className={classes.block} aria-labelledby={`personal-${id}`} data-danger={danger || undefined}>
      <div className={classes.blockHead}>
        <h2 id={`personal-${id}`}>{title}</h2>
        {text ? <p>{text}</p> : null}
      </div>
      <div>{children}</div>
    </section>
  );
}

interface RowProps {
  icon?: ReactNode;
  name: ReactNode;
  /** The state or the value, in quiet text. */
  value?: ReactNode;
  /** The state is the good one. */
  on?: boolean;
  children?: ReactNode;
}

/** A line of a block: what it is, how it stands, what can be done. */
export function Row({ icon, name, value, on, children }: RowProps) {
  return (
    <div className={classes.row}>
      <span className={classes.rowName}>
        {icon}
        {name}
      </span>
      <span className={classes.rowValue} data-on={on || undefined}>
        {value}
      </span>
      <span className={classes.rowActions}>{children}</span>
    </div>
  );
}
