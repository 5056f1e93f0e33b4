/** The playground for chats: conversations on the left, one to four models in the middle, parameters on the right. */
import { useMediaQuery } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { Page } from '#web/ui/page/page.tsx';
import { callOf, type CallMessage } from './call.ts';
import { ChatSheet } from './chat-sheet.tsx';
import { ChatToolbar, type ChatSheetName } from './chat-toolbar.tsx';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { ConversationMenu } from './conversation-menu.tsx';
import { messagesForCode, type Conversation } from './conversation.ts';
import { costText } from './cost-text.ts';
import { ModelPanes } from './model-panes.tsx';
import { Parameters } from './parameters.tsx';
import { playgroundSearch } from './search.ts';
import { Starters } from './starters.tsx';
import { Thread } from './thread.tsx';
import { useChatDraft } from './use-chat-draft.ts';
import { useChatModels, type ChatModels } from './use-chat-models.ts';
import { useConversations } from './use-conversations.ts';
import { VariableFields } from './variable-fields.tsx';
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
  const isWide = useMediaQuery(LIST_QUERY, true, IMMEDIATELY);
  const hasPanel = useMediaQuery(PANEL_QUERY, true, IMMEDIATELY);
  const closeSheet = () => setSheet(undefined);
  const panes = chat.models.length;
  // Three and four panes need the room of the list.
  const hasList = isWide && panes < 3;
  const panel = <Panel chat={chat} conversation={conversations.current} />;
  const list = (onChosen?: () => void) => (
    <ConversationList
      conversations={conversations}
      settings={chat.settings}
      onSettings={chat.setSettings}
      {...(onChosen ? { onChosen } : {})}
    />
  );
  const toolbar = (
    <ChatToolbar
      panes={panes}
      onPanes={chat.setPanes}
      onCode={() => setCode(true)}
      sheets={[...(hasList ? [] : (['list'] as const)), ...(hasPanel ? [] : (['panel'] as const))]}
      onSheet={setSheet}
      menu={
        <ConversationMenu
          conversation={conversations.current}
          onKeep={(wants) => void conversations.keepOnServer(wants)}
        />
      }
    />
  );
  return (
    <div className={classes.layout}>
      {hasList ? (
        <aside className={classes.conversations} aria-label={t('conversations.label')}>
          {list()}
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
              <Thread
                conversation={conversations.current}
                models={chat.models}
                options={chat.options}
                presetOf={(name) => chat.settings.tools.find((tool) => tool.name === name)?.answer ?? ''}
                onEdit={typed.edit}
                onAgain={typed.again}
                onBranch={conversations.branch}
                onTools={typed.answerTools}
              />
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
            fields={
              <VariableFields
                names={typed.variables}
                values={chat.settings.variables}
                onChange={(variables) => chat.setSettings({ ...chat.settings, variables })}
              />
            }
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
        {sheet === 'list' ? list(closeSheet) : panel}
      </ChatSheet>
      {hasCode ? (
        <RequestCode
          chat={chat}
          system={typed.system}
          messages={typed.nextMessages(0)}
          onClose={() => setCode(false)}
        />
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
        parameters={chat.parameters}
      />
      <p className={classes.total}>
        <span>{t('parameters.cost')}</span>
        <b>{costText(conversation)}</b>
      </p>
    </>
  );
}

interface RequestCodeProps {
  chat: ChatModels;
  system: string;
  messages: readonly CallMessage[];
  onClose: () => void;
}

/** The next question as code. */
function RequestCode({ chat, system, messages, onClose }: RequestCodeProps) {
  const address = useStatus()?.server_address;
  const { settings, models, parameters, fallback } = chat;
  const model = models[0] ?? fallback;
  return (
    <Suspense>
      <CodeDialog
        server={serverAddress(address, window.location.origin)}
        call={callOf(settings, model, parameters[0], system, messagesForCode(messages))}
        onClose={onClose}
      />
    </Suspense>
  );
}
