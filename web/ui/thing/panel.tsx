/** A ruled part of a thing's page, and two of them beside each other. */
import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface ThingPanelProps {
  title: string;
  /** What it measures. */
  hint?: ReactNode;
  /** On the right of the head: a link, a switch, the money line. */
  more?: ReactNode;
  /** Without room at the sides, for tables and lists that are ruled to the edge. */
  isFlush?: boolean;
  children: ReactNode;
}

export function ThingPanel({ title, hint, more, isFlush = false, children }: ThingPanelProps) {
  return (
    <section className={classes.panel} data-flush={isFlush || undefined} aria-label={title}>
      <header className={classes.panelHead}>
        <h2>{title}</h2>
        {hint ? <span className="note">{hint}</span> : null}
        {more ? <div className={classes.more}>{more}</div> : null}
      </header>
      {children}
    </section>
  );
}

/** `facts`: the left one is narrow. `events`: the right one is. */
export function ThingColumns({ kind, children }: { kind: 'facts' | 'events'; children: ReactNode }) {
  return (
    <div className={classes.columns} data-kind={kind}>
      {children}
    </div>
  );
}
