/** The help sheet behind `?`. */
import { Modal, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import { KEY_HELP, keysWorkEverywhere, letKeysWorkEverywhere } from './keyboard.ts';
import classes from './key-help.module.css';

export default function KeyHelp({ onClose }: { onClose: () => void }) {
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
          letKeysWorkEverywhere(event.currentTarget.checked);
          setEverywhere(event.currentTarget.checked);
        }}
      />
    </Modal>
  );
}
