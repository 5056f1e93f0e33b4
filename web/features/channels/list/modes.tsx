/** The modes of the list, stored in the browser. */
import { UnstyledButton } from '@mantine/core';
import { IconChecks, IconFoldDown, IconFoldUp, IconHash, IconStack2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import classes from '#web/features/channels/channels.module.css';

export interface Modes {
  tagMode: boolean;
  setTagMode: (on: boolean) => void;
  idSort: boolean;
  setIdSort: (on: boolean) => void;
  batch: boolean;
  setBatch: (on: boolean) => void;
  /** Of tag mode; undefined when the page has no tags. */
  tags: { areClosed: boolean; toggleAll: () => void } | undefined;
}

interface ModeToolsProps {
  modes: Modes;
  /** Beside a drawer there is room for icons only. */
  compact: boolean;
}

export function ModeTools({ modes, compact }: ModeToolsProps) {
  const { t } = useTranslation('channels');
  const toggles = [
    { key: 'tags', icon: IconStack2, on: modes.tagMode, set: modes.setTagMode },
    { key: 'ids', icon: IconHash, on: modes.idSort, set: modes.setIdSort },
    { key: 'batch', icon: IconChecks, on: modes.batch, set: modes.setBatch },
  ] as const;
  const phone = usePhone();
  const foldLabel = t(modes.tags?.areClosed ? 'mode.expandAll' : 'mode.collapseAll');
  const Fold = modes.tags?.areClosed ? IconFoldDown : IconFoldUp;
  return (
    <div className={`row4 flow4 ${classes.modes}`}>
      {modes.tags ? (
        <UnstyledButton
          className={`inline6 size13 ${classes.mode}`}
          aria-label={foldLabel}
          title={foldLabel}
          onClick={modes.tags.toggleAll}
        >
          <Fold size={15} stroke={1.6} aria-hidden />
        </UnstyledButton>
      ) : null}
      {toggles
        .filter(({ key }) => (compact ? key === 'tags' : !phone || key !== 'batch'))
        .map(({ key, icon: Icon, on, set }) => (
          <UnstyledButton
            key={key}
            className={`inline6 size13 ${classes.mode}`}
            aria-pressed={on}
            aria-label={t(`mode.${key}`)}
            title={compact ? t(`mode.${key}`) : undefined}
            onClick={() => set(!on)}
          >
            <Icon size={15} stroke={1.6} aria-hidden />
            {compact ? null : t(`mode.${key}`)}
          </UnstyledButton>
        ))}
    </div>
  );
}
