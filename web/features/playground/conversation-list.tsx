/** The conversations of this browser and of the server, newest first, with what they cost. */
import { ActionIcon, Switch, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { IconCloud, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { costText } from './cost-text.ts';
import type { ListedConversation } from './listed.ts';
import type { PlaygroundSettings } from './settings.ts';
import type { Conversations } from './use-conversations.ts';
import classes from './conversation-list.module.css';

interface ConversationListProps {
  conversations: Conversations;
  settings: PlaygroundSettings;
  onSettings: (settings: PlaygroundSettings) => void;
  onChosen?: () => void;
}

export function ConversationList({ conversations, settings, onSettings, onChosen }: ConversationListProps) {
  const { t } = useTranslation('playground');
  const [words, setWords] = useState('');
  const { listed, current } = conversations;
  const wanted = words.trim().toLowerCase();
  const found = listed.filter(({ title }) => title.toLowerCase().includes(wanted));
  const facts = ({ conversation, turns }: ListedConversation) => {
    const models = [
      ...new Set(conversation?.turns.flatMap((turn) => turn.answers.map((answer) => answer.model)) ?? []),
    ];
    return [
      conversation?.isBranch ? t('conversations.branch') : undefined,
      models.length === 1 ? models[0] : undefined,
      t('conversations.turns', { count: turns }),
      conversation ? costText(conversation) : undefined,
    ]
      .filter(Boolean)
      .join(' · ');
  };
  return (
    <>
      <div className={`flex8 ${classes.listHead}`}>
        <TextInput
          aria-label={t('conversations.search')}
          placeholder={t('conversations.searchShort')}
          leftSection={<IconSearch size={14} stroke={1.6} />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Tooltip label={t('conversations.new')}>
          <ActionIcon
            variant="filled"
            aria-label={t('conversations.new')}
            onClick={() => {
              conversations.startNew();
              onChosen?.();
            }}
          >
            <IconPlus size={16} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
      </div>
      {found.length === 0 ? <p className={`note ${classes.listEmpty}`}>{t('conversations.none')}</p> : null}
      <ul className={classes.list}>
        {found.map((conversation) => {
          const title = conversation.title || t('conversations.untitled');
          return (
            <li key={conversation.id} data-current={conversation.id === current.id || undefined}>
              <UnstyledButton
                className={classes.listItem}
                aria-current={conversation.id === current.id || undefined}
                onClick={() => {
                  void conversations.open(conversation);
                  onChosen?.();
                }}
              >
                <b>
                  {title}
                  {conversation.isOnServer ? (
                    <IconCloud
                      size={13}
                      stroke={1.6}
                      role="img"
                      aria-label={t('keep.onServer')}
                      className={classes.cloud}
                    />
                  ) : null}
                </b>
                <span>{facts(conversation)}</span>
              </UnstyledButton>
              <ActionIcon
                size={24}
                aria-label={t('conversations.remove', { title })}
                onClick={() => conversations.remove(conversation.id)}
              >
                <IconTrash size={14} stroke={1.6} />
              </ActionIcon>
            </li>
          );
        })}
      </ul>
      <div className={classes.listFoot}>
        <Switch
          label={t('keep.always')}
          checked={settings.keepsOnServer}
          onChange={(event) => onSettings({ ...settings, keepsOnServer: event.currentTarget.checked })}
        />
        <p className="note top4">{t('keep.hint')}</p>
      </div>
    </>
  );
}
