/** The playground for chats: conversations on the left, one or two models in the middle, parameters on the right. */
import '@mantine/core/styles/Drawer.layer.css';
import { ActionIcon, Button, CloseButton, Drawer, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { IconAdjustmentsHorizontal, IconCode, IconMessages } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { costOfCall, pricePerMillion, QUOTA_TYPE } from '#contract/money/pricing.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import { formatMoney, renderNumber } from '#web/ui/format/number.ts';
import { Page } from '#web/ui/page/page.tsx';
import { Composer, type Draft } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { conversationCost, cutAt, isBusy, requestMessages, type Turn } from './conversation.ts';
import { Parameters } from './parameters.tsx';
import { answerCost, chatModels, promptTokens } from './prices.ts';
import { chatRequest, keyRequest } from './request.ts';
import { playgroundSearch } from './search.ts';
import { DEFAULT_MODEL } from './settings.ts';
import { Thread } from './thread.tsx';
import { useConversations } from './use-conversations.ts';
import { useLists } from './use-lists.ts';
import { usePlaygroundSettings } from './use-settings.ts';
import classes from './playground.module.css';

const CodeDialog = lazy(() => import('./code-dialog.tsx').then((file) => ({ default: file.CodeDialog })));

const LIST_QUERY = '(min-width: 1200px)';
const PANEL_QUERY = '(min-width: 960px)';
const EMPTY_DRAFT: Draft = { text: '', images: [] };
const STARTERS = ['first', 'second', 'third', 'fourth'] as const;
/** Tokens of an answer assumed by the estimate. */
const USUAL_OUTPUT = 400;

const immediately = { getInitialValueInEffect: false };

export function ChatPlayground({ tabs }: { tabs: ReactNode }) {
  const { t } = useTranslation('playground');
  const { t: common } = useTranslation('ui');
  const user = useUser();
  const status = useStatus();
  const start = playgroundSearch.parse(useSearch({ strict: false }));
  const [chosen, setSettings, resetSettings] = usePlaygroundSettings(start.model);
  const conversations = useConversations(user?.id ?? 0);
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [sheet, setSheet] = useState<'list' | 'panel'>();
  const [hasCode, setCode] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const hasList = useMediaQuery(LIST_QUERY, true, immediately);
  const hasPanel = useMediaQuery(PANEL_QUERY, true, immediately);
  const { groups, list, failure } = useLists(user?.id ?? 0);

  const own = user?.group ?? '';
  const group = Object.hasOwn(groups, chosen.group) ? chosen.group : own;
  // The user's own group is first.
  const ordered = Object.fromEntries(
    Object.entries(groups).toSorted(([left], [right]) => Number(right === own) - Number(left === own)),
  );
  const ratio = list?.group_ratio[group] ?? groups[group]?.ratio ?? 1;
  const options = list ? chatModels(list.data, group) : [];
  // A model that no longer exists is replaced by the default, or by the first of the list.
  const fallback = options.includes(DEFAULT_MODEL) ? DEFAULT_MODEL : (options[0] ?? DEFAULT_MODEL);
  const models = chosen.models.map((model) =>
    options.length === 0 || options.includes(model) ? model : fallback,
  );
  const settings = { ...chosen, models };
  const system = settings.system ?? t('systemPrompt');
  const entryOf = (model: string) => list?.data.find((entry) => entry.model_name === model);

  const { current } = conversations;
  const busy = isBusy(current);
  const hasDraft = draft.text.trim() !== '' || draft.images.length > 0;
  const canSend = hasDraft && !busy && list !== undefined && options.length > 0;
  const askOptions = {
    settings,
    group,
    system,
    costOf: (answer: Parameters<typeof answerCost>[0]) => answerCost(answer, entryOf(answer.model), ratio),
  };
  const nextTurn: Turn = { id: 'next', text: draft.text, images: draft.images, answers: [] };
  const nextMessages = (pane: number) => requestMessages([...current.turns, nextTurn], pane, system, 'next');

  const send = () => {
    if (!canSend) return;
    conversations.ask({ text: draft.text.trim(), images: draft.images }, askOptions);
    setDraft(EMPTY_DRAFT);
  };
  const edit = (turn: Turn) => {
    conversations.change((before) => cutAt(before, turn.id));
    setDraft({ text: turn.text, images: turn.images });
    input.current?.focus();
  };
  const setModel = (pane: number, model: string) =>
    setSettings({ ...settings, models: models.map((before, index) => (index === pane ? model : before)) });
  const setPanes = (count: number) => {
    const [first = fallback, second] = models;
    const other = options.find((model) => model !== first) ?? first;
    setSettings({ ...settings, models: count === 1 ? [first] : [first, second ?? other] });
  };

  const priceText = (model: string) => {
    const entry = entryOf(model);
    if (!entry) return undefined;
    if (entry.quota_type === QUOTA_TYPE.call)
      return t(entry.price_unit === 'second' ? 'pane.perSecond' : 'pane.perCall', {
        price: formatMoney(entry.model_price * ratio, 3),
      });
    const { input: inputPrice, output } = pricePerMillion(entry, ratio);
    return t('pane.price', { input: formatMoney(inputPrice), output: formatMoney(output) });
  };
  const estimate = () => {
    if (!hasDraft || !list) return null;
    const counts = models.map((_, pane) => promptTokens(nextMessages(pane)));
    const cost = models.reduce((sum, model, pane) => {
      const entry = entryOf(model);
      return entry
        ? sum + costOfCall(entry, ratio, { prompt: counts[pane] ?? 0, completion: USUAL_OUTPUT })
        : sum;
    }, 0);
    return t('composer.estimate', { cost: formatMoney(cost), tokens: renderNumber(counts[0] ?? 0) });
  };

  const panel = (
    <>
      <Parameters
        settings={settings}
        onChange={setSettings}
        onReset={resetSettings}
        group={group}
        groups={ordered}
        system={system}
      />
      <p className={classes.total}>
        <span>{t('parameters.cost')}</span>
        <b>{formatMoney(conversationCost(current), 4)}</b>
      </p>
    </>
  );
  const toolbar = (
    <>
      <SegmentedControl
        aria-label={t('mode.label')}
        value={String(models.length)}
        onChange={(value) => setPanes(Number(value))}
        data={[
          { value: '1', label: t('mode.single') },
          { value: '2', label: t('mode.compare') },
        ]}
      />
      <Button
        variant="default"
        leftSection={<IconCode size={15} stroke={1.6} />}
        onClick={() => setCode(true)}
      >
        {t('code.open')}
      </Button>
      {hasList ? null : (
        <Tooltip label={t('conversations.open')}>
          <ActionIcon aria-label={t('conversations.open')} onClick={() => setSheet('list')}>
            <IconMessages size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
      {hasPanel ? null : (
        <Tooltip label={t('parameters.open')}>
          <ActionIcon aria-label={t('parameters.open')} onClick={() => setSheet('panel')}>
            <IconAdjustmentsHorizontal size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
    </>
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
          <div className={classes.panes} data-panes={models.length}>
            {models.map((model, pane) => (
              <div key={pane < 1 ? 'a' : 'b'} className={`row8 shrink ${classes.pane}`}>
                {models.length > 1 ? <span className={classes.letter}>{pane === 0 ? 'A' : 'B'}</span> : null}
                <Select
                  aria-label={t('pane.model', { pane: pane === 0 ? 'A' : 'B' })}
                  searchable
                  data={options.length === 0 ? [model] : options}
                  value={model}
                  allowDeselect={false}
                  limit={200}
                  onChange={(value) => value && setModel(pane, value)}
                />
                <span className={`fixed cut ${classes.panePrice}`}>{priceText(model)}</span>
              </div>
            ))}
          </div>
          {failure ? <ErrorState {...failure} /> : null}
          <div
            className="scroll"
            data-panes={models.length}
            tabIndex={0}
            role="log"
            aria-label={t('conversations.label')}
          >
            {current.turns.length === 0 ? (
              <div className={classes.start}>
                <EmptyState
                  title={list && options.length === 0 ? t('noModel') : t('empty.title')}
                  text={t('empty.text')}
                />
                <div className={classes.starters}>
                  {STARTERS.map((name) => (
                    <button
                      key={name}
                      type="button"
                      onClick={() => {
                        setDraft({ ...draft, text: t(`starters.${name}`) });
                        input.current?.focus();
                      }}
                    >
                      {t(`starters.${name}`)}
                    </button>
                  ))}
                </div>
              </div>
            ) : (
              <Thread
                conversation={current}
                onEdit={edit}
                onAgain={(turnId, pane) => conversations.again(turnId, pane, askOptions)}
              />
            )}
          </div>
          <Composer
            inputRef={input}
            draft={draft}
            onChange={setDraft}
            onSend={send}
            onStop={conversations.stop}
            isBusy={busy}
            canSend={canSend}
            panes={models.length}
            estimate={estimate()}
          />
        </Page>
      </div>
      {hasPanel ? (
        <aside className={classes.panel} aria-label={t('parameters.label')}>
          <h2>{t('parameters.label')}</h2>
          {panel}
        </aside>
      ) : null}
      <Drawer
        opened={sheet !== undefined}
        onClose={() => setSheet(undefined)}
        position={sheet === 'list' ? 'left' : 'bottom'}
        size={sheet === 'list' ? 300 : '80%'}
        withCloseButton={false}
      >
        {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
        <div className="row between">
          <Drawer.Title>{sheet === 'list' ? t('conversations.label') : t('parameters.label')}</Drawer.Title>
          <CloseButton aria-label={common('action.close')} onClick={() => setSheet(undefined)} />
        </div>
        {sheet === 'list' ? (
          <ConversationList conversations={conversations} onChosen={() => setSheet(undefined)} />
        ) : (
          panel
        )}
      </Drawer>
      {hasCode ? (
        <Suspense>
          <CodeDialog
            baseUrl={baseUrl(status?.server_address, window.location.origin)}
            body={keyRequest(chatRequest(settings, models[0] ?? fallback, group, nextMessages(0)))}
            onClose={() => setCode(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
