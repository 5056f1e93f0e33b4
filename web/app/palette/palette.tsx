/** The command palette: every page of the menus and a few actions, found by name, pinyin or short form. */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import {
  IconDeviceDesktop,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { useLogout } from '#web/app/shell/use-logout.ts';
import { useNavigationItems } from '#web/app/use-navigation.ts';
import { changeLanguage, currentLanguage } from '#web/i18n/i18n.ts';
import classes from './palette.module.css';

const [store, spotlight] = createSpotlight();

export default function Palette() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  const items = useNavigationItems();
  const logout = useLogout();
  const { setColorScheme } = useMantineColorScheme();
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
      actions={[
        { group: t('palette.pages'), actions: pages },
        { group: t('palette.actions'), actions },
      ]}
      nothingFound={t('palette.nothing')}
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
      }}
    />
  );
}
