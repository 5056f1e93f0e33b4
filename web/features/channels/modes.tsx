/** The modes of the list, remembered by the browser, and the search by model. */
import { UnstyledButton } from '@mantine/core';
import { IconChecks, IconHash, IconStack2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SearchBox } from '#web/ui/filter/search-box.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import classes from './channels.module.css';

export interface Modes {
  tagMode: boolean;
  setTagMode: (on: boolean) => void;
  idSort: boolean;
  setIdSort: (on: boolean) => void;
  batch: boolean;
  setBatch: (on: boolean) => void;
}

interface ModeToolsProps {
  modes: Modes;
  model: string;
  onModel: (model: string) => void;
  /** Beside a drawer there is room for signs only. */
  compact: boolean;
}

export function ModeTools({ modes, model, onModel, compact }: ModeToolsProps) {
  const { t } = useTranslation('channels');
  const toggles = [
    { key: 'tags', icon: IconStack2, on: modes.tagMode, set: modes.setTagMode },
    { key: 'ids', icon: IconHash, on: modes.idSort, set: modes.setIdSort },
    { key: 'batch', icon: IconChecks, on: modes.batch, set: modes.setBatch },
  ] as const;
  const phone = usePhone();
  const short = compact && !phone;
  return (
    <div className={classes.modes}>
      {short && model === '' ? null : (
        <span className={classes.modelSearch}>
          <SearchBox value={model} onChange={onModel} placeholder={t('modelSearch')} />
        </span>
      )}
      {toggles
        .filter(({ key }) => (short ? key === 'tags' : !phone || key !== 'batch'))
        .map(({ key, icon: Icon, on, set }) => (
          <UnstyledButton
            key={key}
            className={classes.mode}
            aria-pressed={on}
            aria-label={t(`mode.${key}`)}
            title={short ? t(`mode.${key}`) : undefined}
            onClick={() => set(!on)}
          >
            <Icon size={15} stroke={1.6} aria-hidden />
            {short ? null : t(`mode.${key}`)}
          </UnstyledButton>
        ))}
    </div>
  );
}
