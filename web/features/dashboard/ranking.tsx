/** A ranking: name, bar, value, share. The name opens the log with the same filter. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FailureCause } from '#contract/relay/failures.ts';
import type { LogFilter } from './log-filter.ts';
import classes from './ranking.module.css';

export interface RankedLine {
  id: string;
  name: string;
  value: number;
  text: ReactNode;
  /** A colour of the charts, or danger. */
  colour: string;
  /** Further filters of the linked log; undefined: no link. */
  search?: {
    model?: string;
    token?: string;
    user?: string;
    member?: number;
    service_account?: number;
    project?: number;
    tag?: string;
    type?: number;
    cause?: FailureCause;
  };
  mark?: boolean;
}

interface RankingProps {
  lines: readonly RankedLine[];
  filter: LogFilter;
  label: string;
}

export function Ranking({ lines, filter, label }: RankingProps) {
  const { t } = useTranslation('dashboard');
  const highest = Math.max(...lines.map((line) => line.value), 0);
  const sum = lines.reduce((total, line) => total + line.value, 0);
  return (
    <table className={classes.ranking} aria-label={label}>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <th scope="row">
              {line.mark ? <i style={{ background: line.colour }} aria-hidden /> : null}
              {line.search ? (
                <Link to="/log" search={{ ...filter, ...line.search }}>
                  {line.name}
                </Link>
              ) : (
                <span>{line.name || t('other')}</span>
              )}
            </th>
            <td className={classes.rankBar} aria-hidden>
              <Bar line={line} filter={filter} share={highest > 0 ? line.value / highest : 0} />
            </td>
            <td>{line.text}</td>
            <td className={classes.rankShare}>
              {sum > 0 ? `${((line.value / sum) * 100).toFixed(1)}%` : ''}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ line, filter, share }: { line: RankedLine; filter: LogFilter; share: number }) {
  const mark = <span style={{ width: `${share * 100}%`, background: line.colour }} />;
  return line.search ? (
    <Link to="/log" search={{ ...filter, ...line.search }} tabIndex={-1}>
      {mark}
    </Link>
  ) : (
    <span>{mark}</span>
  );
}
