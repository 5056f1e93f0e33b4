/** How a number of the sentence is made, below it: its terms, their bar, and the channels behind it. Esc closes it. */
import { ActionIcon, Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { IconListDetails, IconReceipt2, IconScale, IconTags, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { MarginTable, UnknownTable } from './equation-channels.tsx';
import { roundedMoney, type Rounded } from '#web/ui/format/shown-money.ts';
import { sentenceGap, withNames } from '#web/ui/format/joined.ts';
import { keptSums, paidText } from './money-words.ts';
import type { Equation } from './search.ts';
import { termsOf, type MoneyEquation } from './terms.ts';
import classes from './equation.module.css';

interface EquationProps {
  data: OperatorOverview;
  name: Equation;
  onClose: () => void;
}

export function EquationView({ data, name, onClose }: EquationProps) {
  const { t } = useTranslation('overview');
  useHotkeys([['Escape', onClose]]);
  const { money } = data;
  const rounded = roundedMoney(money, useDisplay());
  return (
    <section className={classes.equation} aria-label={t(`equation.${name}`)}>
      <div className={classes.made}>
        <header className="row8">
          <h2>{t(`equation.${name}`)}</h2>
          <span className="note">{data.from === data.to ? data.from : `${data.from} – ${data.to}`}</span>
          {money.price_version > 0 ? (
            <Tag>{t('equation.version', { version: money.price_version })}</Tag>
          ) : null}
          <ActionIcon className="push-right" aria-label={t('equation.close')} onClick={onClose}>
            <IconX size={15} stroke={1.6} />
          </ActionIcon>
        </header>
        {name === 'came' ? <Came data={data} /> : <Made data={data} name={name} rounded={rounded} />}
      </div>
      {name === 'came' ? null : name === 'unknown' ? (
        <UnknownTable channels={data.unknown_channels} rounded={rounded} />
      ) : (
        <MarginTable channels={data.margin_channels} rounded={rounded} />
      )}
    </section>
  );
}

function Came({ data: { money } }: { data: OperatorOverview }) {
  const { t, i18n } = useTranslation('overview');
  const nothing = t('month.nothing');
  const orders = money.came_in.reduce((sum, each) => sum + each.orders, 0);
  return (
    <>
      <dl className={classes.terms}>
        <TermView before="" amount={paidText(money.came_in, i18n.language) ?? nothing} tone="margin">
          {t('equation.orders', { count: orders })}
        </TermView>
        <TermView before="−" amount={paidText(money.refunded, i18n.language) ?? nothing} tone="used">
          {t('equation.refunded')}
        </TermView>
        <TermView
          before="="
          amount={paidText(keptSums(money.came_in, money.refunded), i18n.language) ?? nothing}
          tone="margin"
          isResult
        >
          {t('equation.kept')}
        </TermView>
      </dl>
      <Button
        variant="default"
        leftSection={<IconReceipt2 size={15} stroke={1.6} />}
        renderRoot={(props) => <Link {...props} to="/order" />}
      >
        {t('equation.ordersPage')}
      </Button>
    </>
  );
}

interface TermProps {
  before: string;
  amount: string;
  after?: string | undefined;
  tone: string;
  isResult?: boolean | undefined;
  children: string;
}

function TermView({ before, amount, after, tone, isResult, children }: TermProps) {
  return (
    <div className={classes.term}>
      {before ? <span className={classes.sign}>{before}</span> : null}
      <div data-tone={tone} data-result={isResult || undefined}>
        <dd className="tabular">{amount}</dd>
        <dt className="tiny">{children}</dt>
      </div>
      {after ? <span className={classes.sign}>{after}</span> : null}
    </div>
  );
}

interface MadeProps {
  data: OperatorOverview;
  name: MoneyEquation;
  rounded: Rounded;
}

function Made({ data, name, rounded }: MadeProps) {
  const { t } = useTranslation('overview');
  const { money } = data;
  const known = rounded.used - rounded.unknown;
  const share = known > 0 ? `${((rounded.margin / known) * 100).toFixed(1)}%` : '';
  return (
    <>
      <dl className={classes.terms}>
        {termsOf(name, rounded, money.fees).map(({ label, whole, ...term }) => (
          <TermView key={label} {...term} amount={rounded.text(whole)}>
            {label === 'margin' && term.isResult && share !== ''
              ? t('equation.share', { share, amount: rounded.text(known) })
              : t(`equation.${label}`)}
          </TermView>
        ))}
      </dl>
      <Bar rounded={rounded} unknown={data.unknown_channels} />
      <Said data={data} />
      <p className="wrap8">
        <Button
          variant="default"
          leftSection={<IconScale size={15} stroke={1.6} />}
          renderRoot={(props) => (
            <Link {...props} to="/margins" search={data.from === data.to ? { day: data.from } : {}} />
          )}
        >
          {t('equation.margins')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconListDetails size={15} stroke={1.6} />}
          renderRoot={(props) => (
            <Link {...props} to="/log" search={{ from: data.start, to: Math.min(data.now, data.end - 1) }} />
          )}
        >
          {t('equation.calls', { count: money.calls, calls: groupDigits(money.calls) })}
        </Button>
        <MissingPrices channels={data.unknown_channels} />
      </p>
    </>
  );
}

export function MissingPrices({ channels }: { channels: OperatorOverview['unknown_channels'] }) {
  const { t } = useTranslation('overview');
  const [first] = channels;
  if (first === undefined) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconTags size={15} stroke={1.6} />}
      renderRoot={(props) => <Link {...props} to="/channel/$id" params={{ id: String(first.id) }} />}
    >
      {t('equation.missing', { count: channels.length })}
    </Button>
  );
}

const LEGEND = ['cost', 'margin', 'unknown'] as const;

/** What was used, to scale; a loss has no part of it. */
function Bar({ rounded, unknown }: { rounded: Rounded; unknown: OperatorOverview['unknown_channels'] }) {
  const { t, i18n } = useTranslation('overview');
  const parts = LEGEND.filter((name) => rounded[name] > 0);
  const whole = parts.reduce((sum, name) => sum + rounded[name], 0);
  if (whole === 0) return null;
  const textOf = (name: (typeof LEGEND)[number]) => `${t(`equation.${name}`)} ${rounded.text(rounded[name])}`;
  return (
    <>
      <div className={classes.bar} aria-hidden>
        {parts.map((name) => (
          <span key={name} data-tone={name} style={{ flexGrow: rounded[name] / whole }} />
        ))}
      </div>
      <ul className={`wrap8 caption ${classes.legend}`}>
        {parts.map((name) => (
          <li key={name} data-tone={name}>
            {name === 'unknown' && unknown.length > 0
              ? withNames(
                  textOf(name),
                  unknown.slice(0, 3).map((channel) => channel.name),
                  i18n.language,
                )
              : textOf(name)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who brings most of the margin, and what was sold below cost. */
function Said({ data: { money, margin_channels: channels } }: { data: OperatorOverview }) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  const [first] = channels;
  const losing = channels.filter(({ margin }) => margin < 0);
  const lost = losing.reduce((sum, { margin }) => sum - margin, 0);
  const percent =
    first !== undefined && money.margin > 0
      ? Math.min(100, Math.round((first.margin / money.margin) * 100))
      : 0;
  if (percent === 0 && losing.length === 0) return null;
  return (
    <p className="caption">
      {percent > 0 && first ? t('equation.most', { percent, name: first.name }) : ''}
      {percent > 0 ? sentenceGap(i18n.language) : ''}
      {losing.length > 0 ? (
        <span className="danger">
          {t('equation.losing', { count: losing.length, amount: renderQuota(lost, display, 2) })}
        </span>
      ) : null}
    </p>
  );
}
