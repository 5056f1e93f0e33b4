/** A block of the wallet: its name, a fact beside it, and the content; blocks are separated by lines. */
import { useId, type ReactNode } from 'react';
import classes from './wallet.module.css';

interface BlockProps {
  title: string;
  fact?: ReactNode;
  children: ReactNode;
}

export function Block({ title, fact, children }: BlockProps) {
  const id = useId();
  return (
    <section className={classes.block} aria-labelledby={id}>
      <div className={`row12 between ${classes.blockHead}`}>
        <h2 id={id}>{title}</h2>
        {fact ? <span>{fact}</span> : null}
      </div>
      {children}
    </section>
  );
}
