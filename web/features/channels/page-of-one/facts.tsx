/** The facts of a channel, each with what follows from it. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import { languageOf } from '#contract/language.ts';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { GroupTags, Tag } from '#web/ui/badge/tag.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { Moment, useNow } from '#web/ui/format/moment.tsx';
import { relativeTime } from '#web/ui/format/time.ts';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { useBuyPriceText } from '#web/features/channels/list/cost-cells.tsx';
import { isLowBalance, responseText } from '#web/features/channels/list/grades.ts';
import { splitList } from '#web/features/channels/list/rows.ts';

const ENOUGH_DAYS = 4;

type Translate = ReturnType<typeof useTranslation<'channels'>>['t'];

interface FactsOf {
  t: Translate;
  page: ChannelPage;
  /** How long ago. */
  when: (time: number) => string;
}

export function ChannelFacts({ page, type }: { page: ChannelPage; type: ChannelType | undefined }) {
  const { t, i18n } = useTranslation('channels');
  const now = useNow();
  const buyPriceText = useBuyPriceText();
  const when = (time: number) => relativeTime(time, now, languageOf(i18n.language));
  const given: FactsOf = { t, page, when };
  return (
    <FactList
      facts={[...upstreamFacts(given, type), ...rankFacts(given), ...moneyFacts(given, buyPriceText)]}
    />
  );
}

function upstreamFacts({ t, page, when }: FactsOf, type: ChannelType | undefined): (Fact | false)[] {
  const { channel, supplier } = page;
  const keySet = page.key_changed_at || channel.created_time;
  const address = channel.base_url || (type?.default_base_url ?? '');
  return [
    { label: t('page.fact.type'), value: type?.name ?? String(channel.type) },
    supplier !== null && {
      label: t('page.fact.supplier'),
      value: (
        <Link to="/suppliers/$id" params={{ id: String(supplier.id) }}>
          {supplier.name}
        </Link>
      ),
    },
    {
      label: t('page.fact.address'),
      value: <span className="code">{address.replace(/^https:\/\//, '')}</span>,
      derived: channel.base_url === '' ? t('page.derived.defaultAddress') : undefined,
    },
    {
      label: t('page.fact.key'),
      value: channel.key_hint === '' ? <Empty /> : <span className="code">…{channel.key_hint}</span>,
      derived: keySet > 0 ? t('page.derived.keySet', { when: when(keySet) }) : undefined,
    },
    { label: t('page.fact.groups'), value: <GroupTags groups={splitList(channel.group)} /> },
    channel.tag ? { label: t('page.fact.tag'), value: <Tag>{channel.tag}</Tag> } : false,
  ];
}

function rankFacts({ t, page }: FactsOf): (Fact | false)[] {
  const { channel } = page;
  const offered = splitList(channel.models);
  const only = page.models.filter(({ others, model }) => others.length === 0 && offered.includes(model));
  return [
    {
      label: t('page.fact.models'),
      value: <Count value={offered.length} />,
      derived: only.length > 0 ? t('page.derived.only', { count: only.length }) : undefined,
    },
    {
      label: t('page.fact.priority'),
      value: channel.priority,
      derived: t('page.derived.place', page.priority_place),
    },
    {
      label: t('page.fact.weight'),
      value: channel.weight,
      derived:
        page.weight_share === null
          ? t('page.derived.alone')
          : t('page.derived.share', { percent: Math.round(page.weight_share * 100) }),
    },
    channel.max_concurrency > 0 && {
      label: t('page.fact.limit'),
      value: `${channel.max_concurrency} ${t('page.derived.atOnce')}`,
    },
  ];
}

function lastsText({ t, page, when }: FactsOf): string {
  const { balance_days: days, channel } = page;
  if (days === null) return t('page.derived.read', { when: when(channel.balance_updated_time) });
  return days < 1 ? t('page.derived.lastsLess') : t('page.derived.lasts', { count: Math.floor(days) });
}

function moneyFacts(given: FactsOf, buyPriceText: (text: string) => string | undefined): (Fact | false)[] {
  const { t, page, when } = given;
  const { channel, balance_days: days } = page;
  const bought = buyPriceText(page.buy_price);
  const tested = channel.test_time > 0 ? responseText(channel.response_time) : undefined;
  const isShort = (days !== null && days < ENOUGH_DAYS) || isLowBalance(channel.balance);
  return [
    channel.balance_updated_time > 0 && {
      label: t('page.fact.balance'),
      value: `${page.balance_currency === 'CNY' ? '¥' : '$'}${channel.balance.toFixed(2)}`,
      tone: isShort ? 'warning' : undefined,
      derived: lastsText(given),
    },
    {
      label: t('page.fact.bought'),
      value: bought ?? <span className="muted">{t('page.noPrice')}</span>,
      derived: bought !== undefined && channel.buy_price === '' ? t('page.derived.fromSupplier') : undefined,
    },
    tested !== undefined && {
      label: t('page.fact.response'),
      value: `${tested.digits} ${tested.unit}`,
      derived: when(channel.test_time),
    },
    { label: t('page.fact.used'), value: <Quota quota={channel.used_quota} decimals={2} /> },
    channel.created_time > 0 && {
      label: t('page.fact.made'),
      value: <Moment timestamp={channel.created_time} absolute />,
    },
  ];
}
