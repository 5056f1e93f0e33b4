/** Language and theme of this browser. */
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '#contract/language.ts';
import { changeLanguage, currentLanguage } from '#web/i18n/i18n.ts';
import { Row } from './block.tsx';

/** Each language under its own name, so that its readers find it. */
const LANGUAGE_NAMES = { zh: '中文', en: 'English' } as const;
const THEMES = ['light', 'dark', 'auto'] as const;

export function Preferences() {
  const { t } = useTranslation('personal');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className="stack">
      <Row name={t('preferences.language')}>
        <SegmentedControl
          aria-label={t('preferences.language')}
          data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          value={currentLanguage()}
          onChange={(value) => {
            const language = LANGUAGES.find((known) => known === value);
            if (language) void changeLanguage(language);
          }}
        />
      </Row>
      <Row name={t('preferences.theme')}>
        <SegmentedControl
          aria-label={t('preferences.theme')}
          data={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
          value={colorScheme}
          onChange={(value) => {
            const theme = THEMES.find((known) => known === value);
            if (theme) setColorScheme(theme);
          }}
        />
      </Row>
    </div>
  );
}
