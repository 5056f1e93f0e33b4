/** Text of a cell that opens something other than the row. */
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './cell-button.module.css';

interface CellButtonProps {
  label: string;
  /** Takes the whole width of its cell. */
  block?: boolean;
  isBad?: boolean;
  onOpen: () => void;
  children: ReactNode;
}

export function CellButton({ label, block = false, isBad = false, onOpen, children }: CellButtonProps) {
  return (
    <UnstyledButton
      className={`cut ${classes.button}`}
      data-block={block || undefined}
      data-bad={isBad || undefined}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
    >
      {children}
    </UnstyledButton>
  );
}
