/** Further ways on from an answer: a branch, or the same question to another model. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconGitBranch, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './answer.module.css';

interface AnswerMenuProps {
  /** The one that wrote it. */
  model: string;
  models: readonly string[];
  onAgain: (model: string) => void;
  onBranch: () => void;
}

const MOST_SHOWN = 40;

export function AnswerMenu({ model, models, onAgain, onBranch }: AnswerMenuProps) {
  const { t } = useTranslation('playground');
  const others = models.filter((other) => other !== model).slice(0, MOST_SHOWN);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('answer.more')}>
          <IconDots size={14} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        <Menu.Item leftSection={<IconGitBranch size={14} stroke={1.6} />} onClick={onBranch}>
          {t('answer.branch')}
        </Menu.Item>
        {others.length > 0 ? <Menu.Label>{t('answer.againWith')}</Menu.Label> : null}
        {others.map((other) => (
          <Menu.Item
            key={other}
            leftSection={<IconRefresh size={14} stroke={1.6} />}
            onClick={() => onAgain(other)}
          >
            {other}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
