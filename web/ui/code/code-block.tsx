/** A code block: its title or language on the left, a copy button on the right, below it the code. */
import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import classes from './code-block.module.css';

interface CodeBlockProps {
  head: ReactNode;
  /** The copied text may differ from the shown one: a key is masked on the screen only. */
  copy?: { text: string; label: string };
  /** A string is highlighted as code; other nodes are rendered as given. */
  children: ReactNode;
}

export function CodeBlock({ head, copy, children }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      <div className={classes.head}>
        {head}
        {copy ? <CopyButton text={copy.text} label={copy.label} /> : null}
      </div>
      {typeof children === 'string' ? <pre tabIndex={0}>{children}</pre> : children}
    </div>
  );
}
