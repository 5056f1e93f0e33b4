/** What the palette finds for a text, in groups, each row with the way to it. */
import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconBolt,
  IconBook2,
  IconBox,
  IconBuildingStore,
  IconCalendarRepeat,
  IconCube,
  IconKey,
  IconListDetails,
  IconMusic,
  IconPlug,
  IconReceipt,
  IconRoute,
  IconSettings,
  IconTicket,
  IconUsers,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { useNavigationItems } from '#web/app/use-navigation.ts';
import { find, SHORTEST_QUERY, type Hit } from './find.ts';

const PAUSE_MILLISECONDS = 300;

const HIT_ICONS = {
  command: IconBolt,
  channel: IconPlug,
  user: IconUsers,
  token: IconKey,
  model: IconCube,
  virtualModel: IconRoute,
  pricing: IconBox,
  order: IconReceipt,
  plan: IconCalendarRepeat,
  suppliers: IconBuildingStore,
  task: IconMusic,
  redemption: IconTicket,
  log: IconListDetails,
  setting: IconSettings,
  docs: IconBook2,
} as const;

function idOf(hit: Hit): string | number {
  if (hit.kind === 'docs') return `${hit.page}#${hit.hash ?? ''}`;
  if (hit.kind === 'redemption') return hit.batch;
  return 'id' in hit ? hit.id : hit.label;
}

/** Groups of what the server finds for the text, in the order of `find`. */
export function useHits(query: string, onHits: () => void) {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  const hasDocs = useNavigationItems().some(({ name }) => name === 'docs');
  const [text] = useDebouncedValue(query.trim(), PAUSE_MILLISECONDS);
  const { data: hits = [], isFetching } = useQuery({
    queryKey: ['palette', user?.id, text],
    queryFn: ({ signal }) => find(text, user, signal),
    enabled: (user !== undefined || hasDocs) && text.length >= SHORTEST_QUERY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  useEffect(() => {
    if (hits.length > 0) onHits();
  }, [hits, onHits]);
  /** Opens the dialog of the action; nothing is done before it is confirmed. */
  const act = async ({ verb, id, label }: Extract<Hit, { kind: 'command' }>) => {
    if (verb === 'refund')
      return await navigate({ to: '/order/$id', params: { id: String(id) }, search: { do: 'refund' } });
    const { disableChannel } = await import('./disable-channel.tsx');
    return await disableChannel(id, {
      title: t('palette.disableTitle', { name: label }),
      harmless: t('palette.harmless'),
      confirmLabel: t('palette.disable'),
      done: t('palette.disabled', { name: label }),
    });
  };
  const open = (hit: Hit) => {
    if (hit.kind === 'log') {
      const { request, from, to } = hit;
      return navigate({ to: '/log', search: { request, from, to } });
    }
    if (hit.kind === 'setting') {
      const { tab, section, option } = hit;
      return navigate({ to: '/setting', search: { tab, section, option } });
    }
    if (hit.kind === 'docs') {
      const { page, hash } = hit;
      return navigate({ to: '/docs/$page', params: { page }, hash });
    }
    if (hit.kind === 'channel') return navigate({ to: '/channel/$id', params: { id: String(hit.id) } });
    if (hit.kind === 'command') return act(hit);
    if (hit.kind === 'model') return navigate({ to: '/model/$', params: { _splat: hit.model } });
    if (hit.kind === 'virtualModel')
      return navigate({ to: '/virtual-model/$', params: { _splat: hit.model } });
    if (hit.kind === 'pricing') return navigate({ to: '/pricing', search: { model: hit.model } });
    if (hit.kind === 'redemption') return navigate({ to: '/redemption', search: { batch: hit.batch } });
    const params = { id: String(hit.id) };
    if (hit.kind === 'user') return navigate({ to: '/user/$id', params });
    if (hit.kind === 'order') return navigate({ to: '/order/$id', params });
    if (hit.kind === 'suppliers') return navigate({ to: '/suppliers/$id', params });
    if (hit.kind === 'task') return navigate({ to: '/task/$id', params });
    if (hit.kind === 'plan') return navigate({ to: '/plan/$id', params });
    return navigate({ to: '/token/$id', params });
  };
  if (query.trim().length < SHORTEST_QUERY) return { groups: [], isSearching: false };
  const groups = (Object.keys(HIT_ICONS) as Hit['kind'][]).flatMap((kind) => {
    const Icon = HIT_ICONS[kind];
    const actions = hits
      .filter((hit) => hit.kind === kind)
      .map((hit): SpotlightActionData => ({
        id: `${kind} ${idOf(hit)}`,
        label: hit.kind === 'command' ? t(`palette.verb.${hit.verb}`, { name: hit.label }) : hit.label,
        description: hit.description,
        // The server has matched it, perhaps by a key or an address; the palette must not filter it again.
        keywords: [query],
        leftSection: <Icon size={16} stroke={1.6} />,
        onClick: () => void open(hit),
      }));
    const group = kind === 'command' ? t('palette.actions') : t(`nav.${kind}`);
    return actions.length > 0 ? [{ group, actions }] : [];
  });
  return { groups, isSearching: isFetching || text !== query.trim() };
}
