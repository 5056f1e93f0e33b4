/** The page of one task: state and times, what it cost, its results to hear and see, and a way to run it again. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { IconListDetails } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { TaskPageView } from '#contract/admin/task-page.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { batchCounts } from '#web/features/tasks/batch-words.ts';
import { DurationCell, IdCell, ProgressCell, StatusCell, CostCell } from '#web/features/tasks/cells.tsx';
import { Part } from '#web/features/tasks/result.tsx';
import { RunAgain } from '#web/features/tasks/run-again.tsx';
import { actionOf, isRunning, platformOf } from '#web/features/tasks/state.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { Events, type ThingEvent } from '#web/ui/thing/events.tsx';
import { FactList } from '#web/ui/thing/facts.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';

/** A task that runs is asked about again. */
const RUNNING_MILLISECONDS = 5000;

const pageQuery = (id: number) =>
  queryOptions({
    queryKey: ['tasks', 'page', id],
    queryFn: ({ signal }) => api.tasks.page({ params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.task) ? RUNNING_MILLISECONDS : false),
  });

export function OneTaskPage({ id }: { id: number }) {
  const { t } = useTranslation('tasks');
  const page = useQuery(pageQuery(id));
  const { data, error } = page;
  const back = <Link to="/task">{t('tasks.title')}</Link>;
  const isMissing = error instanceof ApiError && error.status === 404;
  if (!data || isMissing)
    return (
      <ThingWaiting
        title={t('tasks.title')}
        back={back}
        error={error ? errorMessage(error) : undefined}
        isMissing={isMissing}
        onRetry={() => void page.refetch()}
      />
    );
  const { task } = data;
  const since = task.finish_time || task.start_time || task.submit_time;
  return (
    <ThingPage
      back={back}
      name={`${t(`platform.${platformOf(task)}`)} · ${t(`action.${actionOf(task)}`)}`}
      tag={`#${task.id}`}
      state={<StatusCell row={task} />}
      since={since}
      actions={[
        {
          label: t('page.log'),
          icon: IconListDetails,
          renderRoot: (props) => (
            <Link
              {...props}
              to="/log"
              search={{
                model: task.model,
                ...(data.token ? { token: data.token.name } : {}),
                ...(task.username ? { user: task.username } : {}),
                from: task.submit_time - 60,
                to: since + 60,
              }}
            />
          ),
        },
      ]}
      alert={task.fail_reason === '' ? undefined : <ThingAlert>{task.fail_reason}</ThingAlert>}
    >
      <ThingColumns kind="facts">
        <TaskFacts data={data} />
        <Result data={data} />
      </ThingColumns>
      <Trail data={data} />
    </ThingPage>
  );
}

function TaskFacts({ data: { task, channel, token, group } }: { data: TaskPageView }) {
  const { t } = useTranslation('tasks');
  const { t: thing } = useTranslation('thing');
  return (
    <ThingPanel title={thing('facts')} isFlush>
      <FactList
        facts={[
          { label: t('batch.model'), value: task.model },
          { label: t('column.cost'), value: <CostCell row={task} /> },
          { label: t('column.progress'), value: <ProgressCell row={task} /> },
          task.finish_time > 0 && { label: t('column.duration'), value: <DurationCell row={task} /> },
          task.username !== '' && {
            label: t('column.user'),
            value: (
              <Link to="/user/$id" params={{ id: String(task.user_id) }}>
                {task.username}
              </Link>
            ),
          },
          channel !== null && {
            label: t('column.channel'),
            value: (
              <Link to="/channel/$id" params={{ id: String(channel.id) }}>
                {channel.name}
              </Link>
            ),
          },
          token !== null && {
            label: t('page.key'),
            value: (
              <Link to="/token/$id" params={{ id: String(token.id) }}>
                {token.name}
              </Link>
            ),
          },
          group !== '' && { label: t('page.group'), value: <GroupTag group={group} /> },
          task.batch !== null && {
            label: t('batch.requests'),
            value: t('batch.counts', batchCounts(task.batch)),
          },
          task.batch !== null && { label: t('batch.state'), value: <code>{task.batch.state}</code> },
          { label: t('column.submitted'), value: <Moment timestamp={task.submit_time} absolute /> },
          task.task_id !== '' && { label: t('column.id'), value: <IdCell row={task} /> },
        ]}
      />
    </ThingPanel>
  );
}

function Result({ data: { task } }: { data: TaskPageView }) {
  const { t } = useTranslation('tasks');
  return (
    <ThingPanel title={t('column.result')} more={<RunAgain row={task} />}>
      {task.prompt === '' ? null : <p className="caption anywhere">{task.prompt}</p>}
      {task.parts.length === 0 ? <p className="caption">{t('result.none')}</p> : null}
      {task.parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </ThingPanel>
  );
}

/** Newest first. */
function Trail({ data: { task, money } }: { data: TaskPageView }) {
  const { t } = useTranslation('tasks');
  const events: (ThingEvent | false)[] = [
    task.finish_time > 0 && {
      key: 'finished',
      at: task.finish_time,
      text: task.status === 'FAILURE' ? t('page.failed') : t('page.finished'),
      tone: task.status === 'FAILURE' ? 'danger' : undefined,
    },
    money !== 'open' &&
      task.finish_time > 0 && {
        key: 'money',
        at: task.finish_time,
        text: money === 'settled' ? t('page.charged') : t('page.released'),
      },
    task.start_time > 0 && { key: 'started', at: task.start_time, text: t('page.started') },
    { key: 'submitted', at: task.submit_time, text: t('page.submitted') },
  ];
  return (
    <ThingPanel title={t('page.trail')} isFlush>
      <Events isExact events={events.filter((event) => event !== false)} />
    </ThingPanel>
  );
}
