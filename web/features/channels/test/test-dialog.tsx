/** Tests every model of one channel, or several channels with their own test model: live, with stop and filter. */
import { Button, Select, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { AllowAddress } from '#web/features/channels/allow-address.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import { splitList } from '#web/features/channels/list/rows.ts';
import { runTests, type TestItem, type TestState } from './test-queue.ts';
import { TestResults, type ResultFilter, type ResultRow } from './test-results.tsx';
import classes from '#web/features/channels/dialogs/dialogs.module.css';

const AT_ONCE = ['1', '3', '5', '10'];
const TIMEOUTS = ['10', '30', '60', '120'];
const WAITING: TestState = { kind: 'waiting' };

function itemsOf(channels: readonly ChannelView[]): TestItem[] {
  const [only] = channels;
  if (only && channels.length === 1) {
    return splitList(only.models).map((model) => ({ key: model, channelId: only.id, name: model, model }));
  }
  return channels.map(({ id, name }) => ({ key: String(id), channelId: id, name: `#${id} ${name}` }));
}

export function TestDialog({ channels, onClose }: { channels: readonly ChannelView[]; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const [items] = useState(() => itemsOf(channels));
  const [states, setStates] = useState<ReadonlyMap<string, TestState>>(new Map());
  const [filter, setFilter] = useState<ResultFilter>('all');
  const [atOnce, setAtOnce] = useState('3');
  const [timeoutSeconds, setTimeoutSeconds] = useState('60');
  const [wantsStream, setWantsStream] = useState(false);
  const running = useRef<AbortController>(undefined);
  const [isRunning, setIsRunning] = useState(false);
  const single = channels.length === 1 ? channels[0] : undefined;

  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setStates(new Map());
    setIsRunning(true);
    await runTests({
      items,
      atOnce: Number(atOnce),
      signal: controller.signal,
      test: async (item, signal) => {
        const { data, time } = await api.channelUpstream.test({
          params: { id: item.channelId },
          query: {
            model: item.model,
            timeout_seconds: Number(timeoutSeconds),
            stream: wantsStream ? ('true' as const) : undefined,
          },
          signal,
        });
        return { milliseconds: time * 1000, firstMilliseconds: data.first_token_ms };
      },
      onState: (key, state) => setStates((before) => new Map(before).set(key, state)),
    });
    setIsRunning(false);
    void client.invalidateQueries({ queryKey: CHANNELS_KEY });
  };

  const change = useMutation({
    mutationFn: (body: { models?: string; test_model?: string }) =>
      api.channels.change({ body: { id: single?.id ?? 0, ...body } }),
    onSuccess: () => toast.success(t('message.done')),
    onSettled: () => client.invalidateQueries({ queryKey: CHANNELS_KEY }),
  });

  const rows: ResultRow[] = items.map((item) => {
    const state = states.get(item.key) ?? WAITING;
    return {
      key: item.key,
      name: item.name,
      state: state.kind,
      milliseconds: state.kind === 'passed' ? state.milliseconds : 0,
      firstMilliseconds: state.kind === 'passed' ? state.firstMilliseconds : 0,
      error: state.kind === 'failed' ? state.error : '',
      action:
        single && state.kind === 'passed' ? (
          <Button
            size="xs"
            variant="subtle"
            disabled={single.test_model === item.model}
            onClick={() => change.mutate({ test_model: item.model })}
          >
            {t('test.setTestModel')}
          </Button>
        ) : state.kind === 'failed' && state.privateAddresses ? (
          <AllowAddress addresses={state.privateAddresses} onAllowed={() => void start()} />
        ) : undefined,
    };
  });
  const done = rows.filter(({ state }) => state === 'passed' || state === 'failed').length;
  const failed = rows.filter(({ state }) => state === 'failed').map(({ key }) => key);
  const kept = splitList(single?.models ?? '').filter((model) => !failed.includes(model));

  return (
    <DialogFrame
      width={640}
      onClose={onClose}
      title={
        single
          ? t('test.titleModels', { name: single.name })
          : t('test.titleSelected', { count: channels.length })
      }
    >
      <div className={classes.controls}>
        <Select
          label={t('test.atOnce')}
          data={AT_ONCE}
          value={atOnce}
          allowDeselect={false}
          disabled={isRunning}
          onChange={(value) => setAtOnce(value ?? '3')}
        />
        <Select
          label={t('test.timeout')}
          data={TIMEOUTS}
          value={timeoutSeconds}
          allowDeselect={false}
          disabled={isRunning}
          onChange={(value) => setTimeoutSeconds(value ?? '60')}
        />
        <Switch
          label={t('test.stream')}
          checked={wantsStream}
          disabled={isRunning}
          onChange={(event) => setWantsStream(event.currentTarget.checked)}
        />
        {isRunning ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={15} stroke={1.6} />}
            onClick={() => running.current?.abort()}
          >
            {t('test.stop')}
          </Button>
        ) : (
          <Button
            data-autofocus
            leftSection={<IconPlayerPlay size={15} stroke={1.6} />}
            onClick={() => void start()}
          >
            {t('test.start')}
          </Button>
        )}
      </div>
      <ProgressBar
        done={done}
        total={items.length}
        words={t('test.progress', { done, total: items.length })}
      />
      <TestResults rows={rows} filter={filter} onFilter={setFilter} />
      {single && failed.length > 0 && kept.length > 0 && !isRunning ? (
        <div className="buttons-below">
          <Button variant="default" onClick={() => change.mutate({ models: kept.join(',') })}>
            {t('test.removeFailed', { count: failed.length })}
          </Button>
        </div>
      ) : null}
    </DialogFrame>
  );
}
