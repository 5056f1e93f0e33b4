/** 中 / EN: the active language first and stronger, one click changes it. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { changeLanguage, currentLanguage } from '#web/i18n/i18n.ts';
import classes from './preferences.module.css';

export function LanguageSwitch() {
  const { t } = useTranslation('shell');
  const language = currentLanguage();
  const [first, second] = language === 'zh' ? ['中', 'EN'] : ['EN', '中'];
  return (
    <UnstyledButton
      className={`inline4 size13 ${classes.language}`}
      onClick={() => void changeLanguage(language === 'zh' ? 'en' : 'zh')}
    >
      <VisuallyHidden>{t('language.switch')}</VisuallyHidden>
      <span aria-hidden>
        {first} <i>/ {second}</i>
      </span>
    </UnstyledButton>
  );
}
