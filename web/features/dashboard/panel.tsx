/** A panel: name, what it measures, and its marks. No border of its own. */
import type { ReactNode } from 'react';
import classes from './dashboard.module.css';

interface PanelProps {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, hint, children }: PanelProps) {
  return (
    <section className={classes.panel}>
      <header>
        <h2>{title}</h2>
        {hint ? <span>{hint}</span> : null}
      </header>
      {children}
    </section>
  );
}
