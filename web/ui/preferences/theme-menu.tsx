/** Day, dark, follow system. */
import { ActionIcon, Menu, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './preferences.module.css';

const MODES = [
  ['light', IconSun],
  ['dark', IconMoon],
  ['auto', IconDeviceDesktop],
] as const;

export function ThemeMenu() {
  const { t } = useTranslation('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const computed = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const [opened, setOpened] = useState(false);
  const Current = computed === 'dark' ? IconMoon : IconSun;
  return (
    <Menu opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Tooltip label={t('theme.label')} disabled={opened}>
          <ActionIcon aria-label={t('theme.label')}>
            <Current size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {MODES.map(([mode, Icon]) => (
          <Menu.RadioItem
            key={mode}
            value={mode}
            checked={colorScheme === mode}
            closeMenuOnClick
            rightSection={colorScheme === mode ? <IconCheck size={14} stroke={2} /> : undefined}
            onChange={() => setColorScheme(mode)}
          >
            <span className={`inline8 ${classes.mode}`}>
              <Icon size={15} stroke={1.6} aria-hidden />
              {t(`theme.${mode}`)}
            </span>
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
