/** Slots of the shell that a page fills: on the phone its title and main action move into the top bar. */
import { createContext, useContext, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

export interface ShellSlots {
  title: HTMLElement | null;
  action: HTMLElement | null;
}

export const ShellSlotsContext = createContext<ShellSlots>({ title: null, action: null });

export function ShellTitle({ children }: { children: ReactNode }) {
  const { title } = useContext(ShellSlotsContext);
  return title ? createPortal(children, title) : null;
}

export function ShellAction({ children }: { children: ReactNode }) {
  const { action } = useContext(ShellSlotsContext);
  return action ? createPortal(children, action) : null;
}
