/** A document to read and print: a sheet in the page; on paper it is alone, black on white. */
import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './paper.module.css';

interface PaperProps {
  label: string;
  /** Above the sheet, not printed. */
  tools?: ReactNode;
  children: ReactNode;
}

export function Paper({ label, tools, children }: PaperProps) {
  return (
    <div className={`scroll ${classes.desk}`}>
      {tools ? <div className={`wrap8 ${classes.tools}`}>{tools}</div> : null}
      <article className={classes.paper} aria-label={label}>
        {children}
      </article>
    </div>
  );
}

export function PrintButton() {
  const { t } = useTranslation('ui');
  return (
    <Button
      variant="default"
      leftSection={<IconPrinter size={15} stroke={1.6} />}
      onClick={() => globalThis.print()}
    >
      {t('action.print')}
    </Button>
  );
}

/** Who or what on the left, what the document is on the right. */
export function PaperHead({ from, title, facts }: { from: ReactNode; title: string; facts: PaperFact[] }) {
  return (
    <div className={classes.head}>
      <div className={classes.from}>{from}</div>
      <div className={classes.what}>
        <h2>{title}</h2>
        <PaperFacts facts={facts} />
      </div>
    </div>
  );
}

export type PaperFact = readonly [name: string, value: ReactNode];

export function PaperFacts({ facts }: { facts: readonly PaperFact[] }) {
  return (
    <dl className={`stack2 ${classes.facts}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface PaperColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Left out on the phone. */
  isWide?: boolean;
  /** Never broken at its hyphens: the name of a model. */
  isWhole?: boolean;
}

interface PaperTableProps<Row> {
  title: string;
  columns: readonly PaperColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Rows with a rule above and in bold. */
  isTotal?: (row: Row) => boolean;
}

export function PaperTable<Row>({ title, columns, rows, rowKey, isTotal }: PaperTableProps<Row>) {
  const look = ({ isNumber, isWide, isWhole }: PaperColumn<Row>) => ({
    'data-number': isNumber || undefined,
    'data-wide': isWide || undefined,
    'data-whole': isWhole || undefined,
  });
  return (
    <table className={classes.table}>
      <caption>{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.header} scope="col" {...look(column)}>
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} data-total={isTotal?.(row) || undefined}>
            {columns.map((column) => (
              <td key={column.header} {...look(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The text of a cell with a smaller line below it. */
export function withDetail(text: string, detail: string | undefined): ReactNode {
  return (
    <>
      {text}
      {detail ? <small>{detail}</small> : null}
    </>
  );
}

export function PaperNotes({ children }: { children: ReactNode }) {
  return <div className={`note ${classes.notes}`}>{children}</div>;
}
