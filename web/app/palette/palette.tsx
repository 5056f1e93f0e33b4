/** The command palette: pages, actions, what `find.ts` finds, and commands on it; by name, pinyin or short form. */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import {
  IconDeviceDesktop,
  IconKey,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { isDocument } from '#web/app/navigation.ts';
import { useLogout } from '#web/app/shell/use-logout.ts';
import { useNavigationItems, useSpaces, useTopItems } from '#web/app/use-navigation.ts';
import { keepPastedKey, keyIn } from '#web/features/users/pasted-key.ts';
import { changeLanguage, currentLanguage } from '#web/i18n/i18n.ts';
import { takeTyped } from './host.tsx';
import { useNewActions } from './new-actions.tsx';
import { KEYWORDS } from './keywords.ts';
import { useHits } from './use-hits.tsx';
import classes from './palette.module.css';

const [store, spotlight] = createSpotlight();

/** Enter opens the first row also when rows arrive after the typing: the kit selects one only while one types. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (!list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

export default function Palette() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  const items = useNavigationItems();
  const documents = useTopItems().filter(isDocument);
  const { spaces, current } = useSpaces();
  const here = spaces
    .find(({ name }) => name === current)
    ?.menu.flatMap(({ item, holds }) => [item, ...holds]);
  const viewOf = (name: string) => here?.find((item) => item.name === name)?.search;
  const logout = useLogout();
  const { setColorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState('');
  const { groups, isSearching } = useHits(query, selectFirst);
  useEffect(() => spotlight.open(), []);

  const icon = { size: 16, stroke: 1.6 };
  const pages: SpotlightActionData[] = items.map((item) => ({
    id: item.name,
    label: t(`nav.${item.name}`),
    keywords: [...KEYWORDS[item.name].split(' '), item.name, item.path],
    leftSection: <item.icon {...icon} />,
    onClick: () => void navigate({ to: item.path, search: viewOf(item.name) }),
  }));
  for (const item of documents)
    pages.push({
      id: item.name,
      label: t(`nav.${item.name}`),
      description: t('palette.publicPage'),
      keywords: [...KEYWORDS[item.name].split(' '), item.path],
      leftSection: <item.icon {...icon} />,
      onClick: () => location.assign(item.path),
    });
  const actions: SpotlightActionData[] = [
    {
      id: 'light',
      label: t('theme.choose', { theme: t('theme.light') }),
      keywords: ['light', 'day', 'zhuti', 'qianse'],
      leftSection: <IconSun {...icon} />,
      onClick: () => setColorScheme('light'),
    },
    {
      id: 'dark',
      label: t('theme.choose', { theme: t('theme.dark') }),
      keywords: ['dark', 'night', 'zhuti', 'shense'],
      leftSection: <IconMoon {...icon} />,
      onClick: () => setColorScheme('dark'),
    },
    {
      id: 'auto',
      label: t('theme.choose', { theme: t('theme.auto') }),
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
