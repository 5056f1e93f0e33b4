/** The command palette: pages, actions, what `find.ts` finds, and commands on it; by name, pinyin or short form. */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconBolt,
  IconBook2,
  IconBox,
  IconCalendarRepeat,
  IconCube,
  IconDeviceDesktop,
  IconKey,
  IconLanguage,
  IconListDetails,
  IconLogout,
  IconMoon,
  IconPlug,
  IconPlus,
  IconReceipt,
  IconReceiptRefund,
  IconSearch,
  IconSettings,
  IconSun,
  IconTicket,
  IconUsers,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { useLogout } from '#web/app/shell/use-logout.ts';
import { useNavigationItems } from '#web/app/use-navigation.ts';
import { keepPastedKey, keyIn } from '#web/features/users/pasted-key.ts';
import { changeLanguage, currentLanguage } from '#web/i18n/i18n.ts';
import { takeTyped } from './host.tsx';
import { find, SHORTEST_QUERY, type Hit } from './find.ts';
import classes from './palette.module.css';

const [store, spotlight] = createSpotlight();
const PAUSE_MILLISECONDS = 300;

/** Enter opens the first row also when rows arrive after the typing: the kit selects one only while one types. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (!list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

const HIT_ICONS = {
  command: IconBolt,
  channel: IconPlug,
  user: IconUsers,
  token: IconKey,
  model: IconCube,
  pricing: IconBox,
  order: IconReceipt,
  plan: IconCalendarRepeat,
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
function useHits(query: string) {
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
    if (hits.length > 0) selectFirst();
  }, [hits]);
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
    if (hit.kind === 'pricing') return navigate({ to: '/pricing', search: { model: hit.model } });
    if (hit.kind === 'redemption') return navigate({ to: '/redemption', search: { batch: hit.batch } });
    const params = { id: String(hit.id) };
    if (hit.kind === 'user') return navigate({ to: '/user/$id', params });
    if (hit.kind === 'order') return navigate({ to: '/order/$id', params });
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

/** Forms that make something new, and the list of orders to refund: what the user may do. */
function useNewActions(): SpotlightActionData[] {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  if (!user) return [];
  const action = (
    id: 'key' | 'channel' | 'plan' | 'user' | 'codes' | 'refund',
    keywords: string[],
    onClick: () => unknown,
  ): SpotlightActionData => {
    const Icon = id === 'refund' ? IconReceiptRefund : IconPlus;
    return {
      id: `do ${id}`,
      label: t(`palette.do.${id}`),
      keywords,
      leftSection: <Icon size={16} stroke={1.6} />,
      onClick: () => void onClick(),
    };
  };
  const own = [
    action('key', ['new key', 'new token', 'create', 'xinjian lingpai', 'xjlp'], () =>
      navigate({ to: '/token', search: { new: 1 } }),
    ),
  ];
  if (!isAdmin(user.role)) return own;
  return [
    ...own,
    action('channel', ['new channel', 'add', 'create', 'xinjian qudao', 'xjqd'], () =>
      navigate({ to: '/channel/add' }),
    ),
    action('plan', ['new plan', 'create', 'xinjian taocan', 'xjtc'], () =>
      navigate({ to: '/plan', search: { view: 'manage', new: 1 } }),
    ),
    action('user', ['new user', 'create', 'xinjian yonghu', 'xjyh'], () => navigate({ to: '/user/edit' })),
    action('codes', ['new codes', 'create', 'xinjian duihuanma', 'xjdhm'], () =>
      navigate({ to: '/redemption', search: { new: 1 } }),
    ),
    action('refund', ['refund', 'tuikuan', 'tk'], () =>
      navigate({ to: '/order', search: { status: 'paid' } }),
    ),
  ];
}

export default function Palette() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  const items = useNavigationItems();
  const logout = useLogout();
  const { setColorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState('');
  const { groups, isSearching } = useHits(query);
  useEffect(() => spotlight.open(), []);

  const icon = { size: 16, stroke: 1.6 };
  const pages: SpotlightActionData[] = items.map((item) => ({
    id: item.name,
    label: t(`nav.${item.name}`),
    keywords: [...item.keywords.split(' '), item.name, item.path],
    leftSection: <item.icon {...icon} />,
    onClick: () => void navigate({ to: item.path }),
  }));
  const actions: SpotlightActionData[] = [
    {
      id: 'light',
      label: `${t('theme.label')}: ${t('theme.light')}`,
      keywords: ['light', 'day', 'zhuti', 'qianse'],
      leftSection: <IconSun {...icon} />,
      onClick: () => setColorScheme('light'),
    },
    {
      id: 'dark',
      label: `${t('theme.label')}: ${t('theme.dark')}`,
      keywords: ['dark', 'night', 'zhuti', 'shense'],
      leftSection: <IconMoon {...icon} />,
      onClick: () => setColorScheme('dark'),
    },
    {
      id: 'auto',
      label: `${t('theme.label')}: ${t('theme.auto')}`,
      keywords: ['auto', 'system', 'zhuti', 'gensuixitong'],
      leftSection: <IconDeviceDesktop {...icon} />,
      onClick: () => setColorScheme('auto'),
    },
    {
      id: 'language',
      label: t('language.switch'),
      keywords: ['language', 'yuyan', 'english', 'chinese', 'zhongwen', 'yingwen'],
      leftSection: <IconLanguage {...icon} />,
      onClick: () => void changeLanguage(currentLanguage() === 'zh' ? 'en' : 'zh'),
    },
  ];
  const fresh = useNewActions();
  actions.unshift(...fresh);
  if (user && isAdmin(user.role)) {
    const key = keyIn(query);
    actions.unshift({
      id: 'find-key',
      label: t('palette.findKey'),
      // A pasted key is no word of the action, which yet must not be filtered out.
      keywords: ['leak', 'chazhaomiyao', 'czmy', ...(key === undefined ? [] : [query])],
      leftSection: <IconKey {...icon} />,
      onClick: () => {
        keepPastedKey(key ?? '');
        void navigate({ to: '/user', search: { find_key: true } });
      },
    });
  }
  if (user) {
    actions.push({
      id: 'logout',
      label: t('account.logout'),
      keywords: ['logout', 'sign out', 'zhuxiao', 'tuichu'],
      leftSection: <IconLogout {...icon} />,
      onClick: logout,
    });
  }
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={[
        { group: t('palette.pages'), actions: pages },
        ...groups,
        { group: t('palette.actions'), actions },
      ]}
      nothingFound={t(isSearching ? 'palette.searching' : 'palette.nothing')}
      highlightQuery
      scrollable
      maxHeight={380}
      size={520}
      centered={false}
      yOffset="12vh"
      overlayProps={{ blur: 0, backgroundOpacity: 0.32 }}
      classNames={classes}
      attributes={{ content: { 'aria-label': t('palette.label') } }}
      searchProps={{
        leftSection: <IconSearch {...icon} />,
        placeholder: t('palette.open'),
        'aria-label': t('palette.label'),
        onFocus: () => setQuery((before) => before + takeTyped()),
      }}
    />
  );
}
