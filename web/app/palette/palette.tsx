/** The command palette: pages, actions, and what `find.ts` finds; by name, pinyin or short form. */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconBook2,
  IconDeviceDesktop,
  IconKey,
  IconLanguage,
  IconListDetails,
  IconLogout,
  IconMoon,
  IconPlug,
  IconSearch,
  IconSettings,
  IconSun,
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
  channel: IconPlug,
  user: IconUsers,
  token: IconKey,
  log: IconListDetails,
  setting: IconSettings,
  docs: IconBook2,
} as const;

function idOf(hit: Hit): string | number {
  if (hit.kind === 'docs') return `${hit.page}#${hit.hash ?? ''}`;
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
    if (hit.kind === 'user') return navigate({ to: '/user', search: { card: hit.id } });
    return navigate({ to: '/token', search: { edit: hit.id } });
  };
  if (query.trim().length < SHORTEST_QUERY) return { groups: [], isSearching: false };
  const groups = (Object.keys(HIT_ICONS) as Hit['kind'][]).flatMap((kind) => {
    const Icon = HIT_ICONS[kind];
    const actions = hits
      .filter((hit) => hit.kind === kind)
      .map((hit): SpotlightActionData => ({
        id: `${kind} ${idOf(hit)}`,
        label: hit.label,
        description: hit.description,
        // The server has matched it, perhaps by a key or an address; the palette must not filter it again.
        keywords: [query],
        leftSection: <Icon size={16} stroke={1.6} />,
        onClick: () => void open(hit),
      }));
    return actions.length > 0 ? [{ group: t(`nav.${kind}`), actions }] : [];
  });
  return { groups, isSearching: isFetching || text !== query.trim() };
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
