/** The playground for chats: conversations on the left, one or two models in the middle, parameters on the right. */
import { useMediaQuery } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import { Page } from '#web/ui/page/page.tsx';
import { ChatSheet } from './chat-sheet.tsx';
import { ChatToolbar, type ChatSheetName } from './chat-toolbar.tsx';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { conversationCost, messagesForCode, type Conversation } from './conversation.ts';
import { ModelPanes } from './model-panes.tsx';
import { Parameters } from './parameters.tsx';
import { chatRequest, keyRequest } from './request.ts';
import { playgroundSearch } from './search.ts';
import { Starters } from './starters.tsx';
import { Thread } from './thread.tsx';
import { useChatDraft } from './use-chat-draft.ts';
import { useChatModels, type ChatModels } from './use-chat-models.ts';
import { useConversations } from './use-conversations.ts';
import classes from './playground.module.css';

const CodeDialog = lazy(() => import('./code-dialog.tsx').then((file) => ({ default: file.CodeDialog })));

const LIST_QUERY = '(min-width: 1200px)';
const PANEL_QUERY = '(min-width: 960px)';

const IMMEDIATELY = { getInitialValueInEffect: false };

export function ChatPlayground({ tabs }: { tabs: ReactNode }) {
  const { t } = useTranslation('playground');
  const chat = useChatModels(playgroundSearch.parse(useSearch({ strict: false })).model);
  const conversations = useConversations(useUser()?.id ?? 0);
  const typed = useChatDraft(chat, conversations);
  const [sheet, setSheet] = useState<ChatSheetName>();
  const [hasCode, setCode] = useState(false);
  const hasList = useMediaQuery(LIST_QUERY, true, IMMEDIATELY);
  const hasPanel = useMediaQuery(PANEL_QUERY, true, IMMEDIATELY);
  const closeSheet = () => setSheet(undefined);
  const panes = chat.models.length;
  const panel = <Panel chat={chat} conversation={conversations.current} />;
  const toolbar = (
    <ChatToolbar
      panes={panes}
      onPanes={chat.setPanes}
      onCode={() => setCode(true)}
      sheets={[...(hasList ? [] : (['list'] as const)), ...(hasPanel ? [] : (['panel'] as const))]}
      onSheet={setSheet}
    />
  );
  return (
    <div className={classes.layout}>
      {hasList ? (
        <aside className={classes.conversations} aria-label={t('conversations.label')}>
          <ConversationList conversations={conversations} />
        </aside>
      ) : null}
      <div className={classes.middle}>
        <Page title={t('title')} tabs={tabs} actions={hasPanel ? toolbar : undefined}>
          {hasPanel ? null : <div className={`flow8 ${classes.phoneTools}`}>{toolbar}</div>}
          <ModelPanes chat={chat} />
          {chat.failure ? <ErrorState {...chat.failure} /> : null}
          <div
            className="scroll"
            data-panes={panes}
            tabIndex={0}
            role="log"
            aria-label={t('conversations.label')}
          >
            {conversations.current.turns.length === 0 ? (
              <Starters
                title={chat.isLoaded && chat.options.length === 0 ? t('noModel') : t('empty.title')}
                onChoose={typed.begin}
              />
            ) : (
              <Thread conversation={conversations.current} onEdit={typed.edit} onAgain={typed.again} />
            )}
          </div>
          <Composer
            inputRef={typed.input}
            draft={typed.draft}
            onChange={typed.setDraft}
            onSend={typed.send}
            onStop={conversations.stop}
            isBusy={typed.busy}
            canSend={typed.canSend}
            panes={panes}
            estimate={typed.estimate()}
          />
        </Page>
      </div>
      {hasPanel ? (
        <aside className={classes.panel} aria-label={t('parameters.label')}>
          <h2>{t('parameters.label')}</h2>
          {panel}
        </aside>
      ) : null}
      <ChatSheet open={sheet} onClose={closeSheet}>
        {sheet === 'list' ? <ConversationList conversations={conversations} onChosen={closeSheet} /> : panel}
      </ChatSheet>
      {hasCode ? (
        <RequestCode chat={chat} messages={typed.nextMessages(0)} onClose={() => setCode(false)} />
      ) : null}
    </div>
  );
}

function Panel({ chat, conversation }: { chat: ChatModels; conversation: Conversation }) {
  const { t } = useTranslation('playground');
  return (
    <>
      <Parameters
        settings={chat.settings}
        onChange={chat.setSettings}
        onReset={chat.resetSettings}
        group={chat.group}
        groups={chat.groups}
        system={chat.system}
      />
      <p className={classes.total}>
        <span>{t('parameters.cost')}</span>
        <b>{formatMoney(conversationCost(conversation), 4)}</b>
      </p>
    </>
  );
}

interface RequestCodeProps {
  chat: ChatModels;
  messages: Parameters<typeof chatRequest>[3];
  onClose: () => void;
}

/** The next question as code. */
function RequestCode({ chat, messages, onClose }: RequestCodeProps) {
  const address = useStatus()?.server_address;
  const { settings, models, fallback, group } = chat;
  return (
    <Suspense>
      <CodeDialog
        baseUrl={baseUrl(address, window.location.origin)}
        body={keyRequest(chatRequest(settings, models[0] ?? fallback, group, messagesForCode(messages)))}
        onClose={onClose}
      />
    </Suspense>
  );
}
