/**
 * Dialogs that any code can open: `confirm` (resolves to true or false), `askConflict` and `showManualCopy`. One host renders them,
 * so a caller needs no state; the code of the host is loaded with the first dialog.
 */
import type { ReactNode } from 'react';
import type { Choice, Difference } from '#web/ui/conflict/differences.ts';

export interface ConfirmOptions {
  title: string;
  /** Names the affected objects and the impact. */
  body: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  /** The text the user has to type before an action without undo. */
  typed?: { label: string; expected: string };
}

export type Dialog =
  | { kind: 'confirm'; options: ConfirmOptions; answer: (confirmed: boolean) => void }
  | { kind: 'conflict'; differences: readonly Difference[]; answer: (choices: Choices | undefined) => void }
  | { kind: 'copy'; text: string };

/** By field. */
export type Choices = ReadonlyMap<string, Choice>;

let open: Dialog | undefined;
const listeners = new Set<() => void>();

function setOpen(next: Dialog | undefined): void {
  const before = open;
  open = next;
  // A second dialog replaces the first, which resolves to false.
  if (before?.kind === 'confirm' && next) before.answer(false);
  if (before?.kind === 'conflict' && next) before.answer(undefined);
  for (const listener of listeners) listener();
}

export function openDialog(): Dialog | undefined {
  return open;
}

export function subscribeDialog(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function closeDialog(): void {
  setOpen(undefined);
}

export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog: Dialog = {
      kind: 'confirm',
      options,
      answer: (confirmed) => {
        resolve(confirmed);
        if (open === dialog) setOpen(undefined);
      },
    };
    setOpen(dialog);
  });
}

/** Undefined when the user goes back to the form. */
export function askConflict(differences: readonly Difference[]): Promise<Choices | undefined> {
  return new Promise((resolve) => {
    const dialog: Dialog = {
      kind: 'conflict',
      differences,
      answer: (choices) => {
        resolve(choices);
        if (open === dialog) setOpen(undefined);
      },
    };
    setOpen(dialog);
  });
}

export function showManualCopy(text: string): void {
  setOpen({ kind: 'copy', text });
}
