/** The help sheet behind `?`. */
import { Modal, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import { KEYS_SCOPE, keysWorkEverywhere } from './keyboard.ts';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './key-help.module.css';

/** In the order shown. */
const KEY_HELP = [
  ['/', 'search'],
  ['↑ ↓ · j k', 'move'],
  ['Enter', 'open'],
  ['E', 'edit'],
  ['Space', 'select'],
  ['R', 'refresh'],
  ['Esc', 'escape'],
  ['?', 'help'],
] as const;

export default function KeyHelp({ onClose }: { onClose: () => void }) {
  useReturnFocus();
  const { t } = useTranslation('ui');
  const [everywhere, setEverywhere] = useState(keysWorkEverywhere);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('grid.help')}
      size={360}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <dl className={classes.keyHelp}>
        {KEY_HELP.map(([keys, name]) => (
          <div key={name}>
            <dt>
              <KeyHint>{keys}</KeyHint>
            </dt>
            <dd>{t(`keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <Switch
        className={classes.keyScope}
        label={t('keys.everywhere')}
        description={t('keys.everywhereHint')}
        checked={everywhere}
        onChange={(event) => {
          if (event.currentTarget.checked) localStorage.removeItem(KEYS_SCOPE);
          else localStorage.setItem(KEYS_SCOPE, 'row');
          setEverywhere(event.currentTarget.checked);
        }}
      />
    </Modal>
  );
}
