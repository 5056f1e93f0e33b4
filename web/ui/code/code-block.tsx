/** Code to take along: what it is or in which language on the left, copy on the right, below it the code or its fields. */
import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import classes from './code-block.module.css';

interface CodeBlockProps {
  head: ReactNode;
  /** Not always what is shown: a key is masked on the screen and whole in the copy. */
  copy?: { text: string; label: string };
  /** A text is code; anything else is drawn as it is. */
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
