/** Parts of both overviews: the sentence with its links, a panel, the state before the data. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { Place } from '#web/ui/attention/place.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EQUATIONS, type OverviewSearch } from './search.ts';
import { piecesOf, type Piece, type Target } from './sentence.ts';
import classes from './overview.module.css';

const PLACES: Partial<Record<Target, Place>> = {
  channels: { to: '/channel', search: { status: 3 } },
  refused: { to: '/log', search: { type: LOG_TYPE.refused } },
  orders: { to: '/order' },
  models: { to: '/model' },
  balance: { to: '/topup' },
  days: { to: '/topup' },
  keys: { to: '/token' },
};
const NEEDS: Place = { to: '.', hash: 'needs' };

interface NumberProps {
  piece: Piece;
  search: OverviewSearch;
  places: Partial<Record<Target, Place>>;
}

function Number({ piece, search, places }: NumberProps) {
  const equation = EQUATIONS.find((name) => name === piece.target);
  if (equation === undefined)
    return (
      <Link {...(places[piece.target ?? 'needs'] ?? NEEDS)} data-tone={piece.tone}>
        {piece.text}
      </Link>
    );
  const isOpen = search.open === equation;
  return (
    <Link
      to="/overview"
      search={{ ...search, open: isOpen ? undefined : equation }}
      aria-expanded={isOpen}
      replace
    >
      {piece.text}
    </Link>
  );
}

interface SentenceProps {
  text: string;
  search?: OverviewSearch;
  /** Where numbers lead, besides those that lead to the same page for everybody. */
  places?: Partial<Record<Target, Place>>;
}

export function Sentence({ text, search = {}, places }: SentenceProps) {
  const all = { ...PLACES, ...places };
  return (
    <p className={classes.sentence}>
      {piecesOf(text).map((piece, at) =>
        piece.target ? (
          <Number key={`${at} ${piece.text}`} piece={piece} search={search} places={all} />
        ) : (
          piece.text
        ),
      )}
    </p>
  );
}

interface PanelProps {
  id?: string;
  title: string;
  hint?: ReactNode;
  more?: ReactNode;
  children: ReactNode;
}

export function Panel({ id, title, hint, more, children }: PanelProps) {
  return (
    <section className={classes.panel} id={id}>
      <header className="row8">
        <h2>{title}</h2>
        {hint ? <span className="note">{hint}</span> : null}
        {more ? <span className="push-right small">{more}</span> : null}
      </header>
      {children}
    </section>
  );
}

export function Waiting() {
  return <Loading shape="figures" />;
}

/** Date and time in the zone of the site, and the zone, once. */
export function Head({ now, zone, moneyZone = zone }: { now: number; zone: string; moneyZone?: string }) {
  const { t, i18n } = useTranslation('overview');
  const said = new Intl.DateTimeFormat(i18n.language, {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now * 1000);
  const name = new Intl.DateTimeFormat(i18n.language, { timeZone: zone, timeZoneName: 'long' })
    .formatToParts(now * 1000)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return (
    <p className={`note ${classes.head}`} data-drops>
      <span>{said}</span>
      <span>
        {t('zone', { zone: zone === 'UTC' ? zone : (name ?? zone) })}
        {moneyZone === zone ? '' : ` · ${t('moneyZone', { zone: moneyZone })}`}
      </span>
    </p>
  );
}
