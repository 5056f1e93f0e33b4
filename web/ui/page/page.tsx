/** The frame of every console page: head with title, summary numbers and actions, then the page, then its drawer. */
import { UnstyledButton } from '@mantine/core';
import { usePageTitle } from './document-title.ts';
import type { ReactNode } from 'react';
import { usePhone } from './breakpoints.ts';
import { ShellAction, ShellTitle } from './slots.tsx';
import classes from './page.module.css';

export interface SummaryNumber {
  /** Already formatted. */
  value: ReactNode;
  label: string;
  /** The word before the number: `14 days $438`. */
  labelFirst?: boolean;
  tone?: 'danger' | 'warning';
  /** Filters the list by what is counted. */
  onFilter?: () => void;
  isFiltered?: boolean;
}

interface PageProps {
  title: string;
  summary?: readonly SummaryNumber[];
  /** One filled button at most. */
  actions?: ReactNode;
  /** The main action as an icon in the phone's top bar. */
  phoneAction?: ReactNode;
  /** Tabs on the title's line. */
  tabs?: ReactNode;
  /** In place of the title's line; on the phone below the top bar, which has the title. */
  head?: ReactNode;
  drawer?: ReactNode;
  children: ReactNode;
}

function Figure({ number }: { number: SummaryNumber }) {
  const label = <span>{number.label}</span>;
  return (
    <>
      {number.labelFirst ? label : null}
      <b>{number.value}</b>
      {number.labelFirst ? null : label}
    </>
  );
}

export function Summary({ numbers }: { numbers: readonly SummaryNumber[] }) {
  return (
    <ul className={`flex note ${classes.summary}`} data-drops>
      {numbers.map((number) => (
        <li key={number.label} data-tone={number.tone}>
          {number.onFilter ? (
            <UnstyledButton aria-pressed={number.isFiltered} onClick={number.onFilter}>
              <Figure number={number} />
            </UnstyledButton>
          ) : (
            <Figure number={number} />
          )}
        </li>
      ))}
    </ul>
  );
}

export function Page({ title, summary, actions, phoneAction, tabs, head, drawer, children }: PageProps) {
  const phone = usePhone();
  usePageTitle(title);
  return (
    <div className={classes.page}>
      <div className={`pane ${classes.main}`}>
        {phone ? (
          <>
            <ShellTitle>{title}</ShellTitle>
            <ShellAction>{phoneAction}</ShellAction>
            <h1 className="hidden">{title}</h1>
            {tabs}
            {head}
          </>
        ) : head ? (
          head
        ) : (
          <header className={`row16 fixed ${classes.head}`}>
            <h1 className={classes.title}>{title}</h1>
            {tabs}
            {summary ? <Summary numbers={summary} /> : null}
            <div className={`flex8 push-right ${classes.actions}`}>{actions}</div>
          </header>
        )}
        {children}
      </div>
      {drawer}
    </div>
  );
}
