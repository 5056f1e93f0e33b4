/** What changed for the reader and is not theirs to cure: models that are off, prices that moved, new models, announcements. */
import { Link, useRouter } from '@tanstack/react-router';
import {
  IconAlertTriangleFilled,
  IconArrowDownRight,
  IconArrowUpRight,
  IconCube,
  IconSpeakerphone,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OverviewChange } from '#contract/admin/overview.ts';
import { inLanguage } from '#contract/language.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import type { Place } from '#web/ui/attention/place.ts';
import { movedPrice } from './moved-price.ts';
import { Panel } from './parts.tsx';
import classes from './changes.module.css';

export function Changes({ changes }: { changes: readonly OverviewChange[] }) {
  const { t } = useTranslation('overview');
  return (
    <Panel title={t('changes.title')} hint={t('changes.hint')}>
      {changes.length === 0 ? <p className="caption">{t('changes.none')}</p> : null}
      <ul className={classes.changes}>
        {changes.map((change) => (
          <Change key={keyOf(change)} change={change} />
        ))}
      </ul>
    </Panel>
  );
}

const keyOf = (change: OverviewChange): string =>
  `${change.kind} ${change.at} ${change.kind === 'announcement' ? change.id : change.model}`;

interface Shown {
  icon: ReactNode;
  tone?: 'danger' | 'success' | 'warning';
  title: ReactNode;
  detail: string;
  link?: { words: string; place: Place };
}

/** The first of these addresses that is a page of this console. */
function usePlace(): (...addresses: readonly (readonly [route: string, to: string])[]) => Place {
  const router = useRouter();
  return (...addresses) => {
    const [, to = '/pricing'] = addresses.find(([route]) => Object.hasOwn(router.routesByPath, route)) ?? [];
    return { to } as unknown as Place;
  };
}

function useShown(change: OverviewChange): Shown {
  const { t } = useTranslation('overview');
  const placeOf = usePlace();
  const modelPlace = (model: string) => placeOf(['/models/$name', `/models/${encodeURIComponent(model)}`]);
  switch (change.kind) {
    case 'model_off':
      return {
        icon: <IconAlertTriangleFilled size={16} aria-hidden />,
        tone: 'danger',
        title: <b className="strong">{t('changes.off', { model: change.model })}</b>,
        detail: t('changes.offDetail', { count: change.calls }),
        link: { words: t('changes.status'), place: placeOf(['/status', '/status']) },
      };
    case 'price_moved': {
      const moved = movedPrice(change);
      const Icon = moved.isLess ? IconArrowDownRight : IconArrowUpRight;
      return {
        icon: <Icon size={16} stroke={1.6} aria-hidden />,
        tone: moved.isLess ? 'success' : 'warning',
        title: (
          <>
            <b className="strong">{change.model}</b> {t(`changes.${moved.part}`)}{' '}
            <span className="nowrap">
              <s className="muted">{formatMoney(moved.before, moved.decimals)}</s> →{' '}
              <b className={moved.isLess ? 'strong success' : 'strong warning'}>
                {formatMoney(moved.after, moved.decimals)}
              </b>
            </span>
          </>
        ),
        detail: t(`changes.per.${change.unit}`, { group: change.group }),
        link: { words: t('changes.prices'), place: modelPlace(change.model) },
      };
    }
    case 'model_new':
      return {
        icon: <IconCube size={16} stroke={1.6} aria-hidden />,
        title: <b className="strong">{t('changes.new', { model: change.model })}</b>,
        detail: t('changes.newDetail', { group: change.group }),
        link: {
          words: t('changes.try'),
          place: { to: '/playground', search: { model: change.model } } as unknown as Place,
        },
      };
    default:
      return {
        icon: <IconSpeakerphone size={16} stroke={1.6} aria-hidden />,
        title: (
          <b className="strong">
            {inLanguage(currentLanguage(), change.title, change.title_en) || t('changes.announcement')}
          </b>
        ),
        detail: t('changes.announcement'),
      };
  }
}

function Change({ change }: { change: OverviewChange }) {
  const { icon, tone, title, detail, link } = useShown(change);
  return (
    <li>
      <span className={classes.mark} data-tone={tone}>
        {icon}
      </span>
      <div className="grow anywhere">
        {title}
        <p className="caption">{detail}</p>
      </div>
      <span className="note nowrap">
        <Moment timestamp={change.at} />
      </span>
      {link ? (
        <Link {...link.place} className="small nowrap">
          {link.words}
        </Link>
      ) : null}
    </li>
  );
}
