/** A block of the personal tab: its name on the left, its rows on the right. */
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
  /** The state or the value. */
  value?: ReactNode;
  /** The state is marked as good. */
  on?: boolean;
  children?: ReactNode;
}

/** A row of a block: name, state, actions. */
export function Row({ icon, name, value, on, children }: RowProps) {
  return (
    <div className={classes.row}>
      <span className={`row8 shrink ${classes.rowName}`}>
        {icon}
        {name}
      </span>
      <span className={`shrink note ellipsis ${classes.rowValue}`} data-on={on || undefined}>
        {value}
      </span>
      <span className="flow6 end">{children}</span>
    </div>
  );
}
