/** The channels behind an equation: what each sold and cost, and its margin as a bar from zero, with the sum of all. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import type { Rounded } from '#web/ui/format/shown-money.ts';
import { channelLines, footOf, type ChannelLine } from './terms.ts';
import classes from './equation.module.css';

interface MarginTableProps {
  channels: OperatorOverview['margin_channels'];
  rounded: Rounded;
}

export function MarginTable({ channels, rounded }: MarginTableProps) {
  const { t } = useTranslation('overview');
  const money = (quota: number) => rounded.text(rounded.round(quota));
  const lines = channelLines(channels);
  if (lines.length === 0) return null;
  const foot = footOf(rounded);
  const largest = Math.max(...lines.map(({ margin }) => Math.abs(margin)), 1);
  const hasLoss = lines.some(({ margin }) => margin < 0);
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{t('equation.channels')}</th>
          <th scope="col">{t('equation.used')}</th>
          <th scope="col" data-wide>
            {t('equation.cost')}
          </th>
          <th scope="col" className={classes.graph} aria-hidden />
          <th scope="col">{t('equation.marginShort')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <th scope="row">
              <Name line={line} />
            </th>
            <td>{money(line.used)}</td>
            <td className="soft" data-wide>
              {money(line.cost)}
            </td>
            <td className={classes.graph} data-loss={hasLoss || undefined} aria-hidden>
              <span
                data-tone={line.margin < 0 ? 'loss' : 'margin'}
                style={{ width: `${Math.round((Math.abs(line.margin) / largest) * (hasLoss ? 80 : 100))}%` }}
              />
            </td>
            <td className={line.margin < 0 ? 'danger strong' : undefined}>{money(line.margin)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('equation.total', { count: channels.length })}</th>
          <td>{foot.used}</td>
          <td data-wide>{foot.cost}</td>
          <td className={classes.graph} aria-hidden />
          <td>{foot.margin}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Name({ line: { id, name, count } }: { line: ChannelLine }) {
  const { t } = useTranslation('overview');
  if (id === 0) return <span className="muted">{t('equation.others', { count })}</span>;
  return (
    <Link to="/channel/$id" params={{ id: String(id) }}>
      {name}
    </Link>
  );
}

const MOST_UNKNOWN = 10;

interface UnknownTableProps {
  channels: OperatorOverview['unknown_channels'];
  rounded: Rounded;
}

export function UnknownTable({ channels, rounded }: UnknownTableProps) {
  const { t } = useTranslation('overview');
  const rest = channels.slice(MOST_UNKNOWN);
  const lines = [
    ...channels.slice(0, MOST_UNKNOWN),
    ...(rest.length === 0 ? [] : [{ id: 0, name: '', used: rest.reduce((sum, { used }) => sum + used, 0) }]),
  ];
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{t('equation.unknownChannels')}</th>
          <th scope="col">{t('equation.used')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ id, name, used }) => (
          <tr key={id}>
            <th scope="row">
              <Name line={{ id, name, count: rest.length, used, cost: 0, margin: 0 }} />
            </th>
            <td>{rounded.text(rounded.round(used))}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('equation.total', { count: channels.length })}</th>
          <td>{footOf(rounded).unknown}</td>
        </tr>
      </tfoot>
    </table>
  );
}
