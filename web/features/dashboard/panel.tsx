/** A panel: name, unit and content, without a border. */
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
